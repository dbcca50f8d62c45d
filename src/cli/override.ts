// `--set path=value`: changes one field of a sample delivery before it is signed.
import { SlotstreamError } from '#src/base/errors.ts';

type MutableRecord = Record<string, unknown>;

/**
 * A path starts in the payload (`email=…`, `payload.emails.0.email=…`), or with `envelope.` at the delivery itself.
 * A value that parses as JSON is used as JSON, any other as text.
 */
export function override(delivery: object, setting: string): object {
  const equals = setting.indexOf('=');
  const path = setting.slice(0, Math.max(equals, 0)).split('.');
  if (equals < 1 || path.some((part) => part === '' || part === '__proto__')) {
    throw new SlotstreamError('usage', '--set takes path=value.', {
      hint: 'For example: --set email=ada@example.test',
    });
  }
  const [first] = path;
  const steps = first === 'envelope' ? path.slice(1) : first === 'payload' ? path : ['payload', ...path];
  const changed: MutableRecord = { ...structuredClone(delivery) };
  setAt(changed, steps, valueOf(setting.slice(equals + 1)));
  return changed;
}

function setAt(root: MutableRecord, steps: readonly string[], value: unknown): void {
  let record = root;
  for (const step of steps.slice(0, -1)) {
    const next = Object.hasOwn(record, step) ? record[step] : undefined;
    if (isRecord(next)) record = next;
    else {
      const created: MutableRecord = {};
      record[step] = created;
      record = created;
    }
  }
  const last = steps.at(-1);
  if (last !== undefined) record[last] = value;
}

/** Arrays included: their indexes are steps of a path too. */
function isRecord(value: unknown): value is MutableRecord {
  return typeof value === 'object' && value !== null;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
