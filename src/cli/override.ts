// `--set path=value`: changes one place of a sample delivery before it is signed.
import { SlotstreamError } from '#src/base/errors.ts';
import type { JsonRecord, SampleDelivery } from '#src/samples/sample.ts';

/**
 * A path starts in the payload (`email=…`, `payload.emails.0.email=…`), or with `envelope.` at the delivery itself.
 * A value that reads as JSON is taken as such, anything else as text.
 */
export function override(delivery: SampleDelivery, setting: string): SampleDelivery {
  const equals = setting.indexOf('=');
  const path = setting.slice(0, Math.max(equals, 0)).split('.');
  if (equals < 1 || path.some((part) => part === '' || part === '__proto__')) {
    throw new SlotstreamError('usage', '--set takes path=value.', {
      hint: 'For example: --set email=ada@example.test',
    });
  }
  const [first] = path;
  const steps = first === 'envelope' ? path.slice(1) : first === 'payload' ? path : ['payload', ...path];
  const changed = structuredClone(delivery) as unknown as JsonRecord;
  setAt(changed, steps, valueOf(setting.slice(equals + 1)));
  return changed as unknown as SampleDelivery;
}

function setAt(root: JsonRecord, steps: readonly string[], value: unknown): void {
  let place = root;
  for (const step of steps.slice(0, -1)) {
    const next = Object.hasOwn(place, step) ? place[step] : undefined;
    if (typeof next === 'object' && next !== null) place = next as JsonRecord;
    else place = place[step] = {} as JsonRecord;
  }
  const last = steps.at(-1);
  if (last !== undefined) place[last] = value;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
