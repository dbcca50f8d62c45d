// What a process that receives knows of itself, noted where the conditions find it: its spool, and deliveries it refused for their
// age. Noted only while there is something to note, and once more when there is not.
import { sleepUnlessAborted } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { noteProcess, type ProcessNote } from './condition-inputs.ts';

export interface SelfNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Names this process and no other. */
  readonly holder: string;
  /** Deliveries on disk. */
  spooled(): number;
  /** Rightly signed deliveries refused for their age, since the start. */
  refusedAsStale(): number;
}

const everyMs = 20_000;
/** Refusals of so many looks count together: about ten minutes. */
const looks = 30;

export function createSelfWatch(needs: SelfNeeds): () => Promise<void> {
  const totals: number[] = [0];
  let told: ProcessNote = { spooled: 0, refusedAsStale: 0 };
  return async () => {
    const total = needs.refusedAsStale();
    totals.push(total);
    if (totals.length > looks + 1) totals.shift();
    const note = { spooled: needs.spooled(), refusedAsStale: total - (totals[0] ?? 0) };
    const isQuiet = (one: ProcessNote): boolean => one.spooled + one.refusedAsStale === 0;
    if (isQuiet(note) && isQuiet(told)) return;
    await noteProcess(needs.store, { holder: needs.holder, nowMs: needs.nowMs() }, note);
    told = note;
  };
}

export function startSelfWatch(needs: SelfNeeds): { close(): Promise<void> } {
  const look = createSelfWatch(needs);
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await sleepUnlessAborted(everyMs, stopping.signal, { ref: false });
      // A store that does not answer is told of elsewhere.
      if (!stopping.signal.aborted) await look().catch(() => undefined);
    }
  })();
  return {
    async close() {
      stopping.abort();
      await watching;
    },
  };
}
