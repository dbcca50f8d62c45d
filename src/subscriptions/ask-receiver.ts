// Before anything is registered: does our receiver answer at the public URL? The sentences are for the person who runs `bootstrap`.
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import { noteMark } from './advisories.ts';
import { callbackOf, type ChosenKeys } from './from-config.ts';
import { probe } from './probe.ts';

export interface AskInput {
  /** Those that would be registered with; a new one among them is not at the receivers yet. */
  readonly keys: ChosenKeys;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export interface AskedReceiver {
  /** For the plan. */
  readonly note: string;
  /** For what was registered all the same. */
  readonly anywayNote?: string;
  /** Undefined where our receiver answered. */
  readonly refusal: SlotstreamError | undefined;
  /** Whether `--anyway` may register: no one else was found. */
  readonly mayBeOurs: boolean;
}

export async function askReceiver(config: Config, { keys, now, signal }: AskInput): Promise<AskedReceiver> {
  const { scheme, header: headerName, allowUnsigned } = config.signing;
  const callback = callbackOf(config);
  // At a rotation, receivers have only the key from before it.
  const [key = keys.keys[0]] = keys.isNew ? keys.keys.slice(1) : keys.keys;
  const found = await probe({ callback, scheme, headerName, key, nowMs: now().getTime(), signal });
  switch (found.kind) {
    case 'ours':
      return { note: `${noteMark}your receiver answers at ${callback}.`, refusal: undefined, mayBeOurs: true };
    case 'nothing':
      return refuse(`Nothing answered at ${callback} (${found.why}).`, {
        hint: `Start the receiver, lead that address to its PORT, and try it from another network; 401 is the answer of a receiver: curl -i -X POST ${callback}\n  If it is answered there, and only this machine cannot reach it: ${slotstream} bootstrap --anyway`,
        mayBeOurs: true,
      });
    case 'unsigned':
      return refuse(
        `The receiver at ${callback} verifies nothing (ALLOW_UNSIGNED), so it cannot prove that it is yours.`,
        {
          hint: allowUnsigned
            ? `Give it a signing key. If you know that it is yours: ${slotstream} bootstrap --anyway`
            : 'Give it the same SIGNING_KEYS (or DATA_DIR), remove ALLOW_UNSIGNED and restart it.',
          mayBeOurs: allowUnsigned,
        },
      );
    case 'other':
      return refuse(`Someone else answered at ${callback}: ${found.what}.`, {
        hint: `${found.fix} --anyway does not help here.`,
        mayBeOurs: false,
      });
  }
}

function refuse(
  sentence: string,
  { hint, mayBeOurs }: { readonly hint: string; readonly mayBeOurs: boolean },
): AskedReceiver {
  const refusal = new SlotstreamError('not_our_receiver', `${sentence} Nothing was registered.`, { hint });
  const anywayNote = `${sentence} It was registered all the same (--anyway).`;
  return { note: `${sentence}\n→ ${hint}`, anywayNote, refusal, mayBeOurs };
}
