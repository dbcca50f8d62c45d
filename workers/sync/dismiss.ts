// Dismisses deliveries in quarantine that no version will ever apply: they stay in the log with their outcome, and no longer count as waiting.
import type { Store } from '#src/store/contract.ts';
import { lockLog } from '#src/store/locks.ts';
import { markDismissed } from '#src/store/log/append.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { readDeliveries } from '#src/store/log/log-search.ts';
import { lastSeq } from '#src/store/log/read.ts';

const entriesPerBatch = 500;

/** Everything that matches and waits. Answers how many were dismissed. */
export async function dismissMatching(store: Store, filter: DeliveryFilter, now: string): Promise<number> {
  const end = await lastSeq(store);
  const waiting = { ...filter, unprojected: true, maxSeq: Math.min(filter.maxSeq ?? end, end) };
  let dismissed = 0;
  for (let from: number | undefined = 0; from !== undefined;) {
    const { lines } = await readDeliveries(store, waiting, { from, newer: true, limit: entriesPerBatch });
    const seqs = lines.map(({ seq }) => seq);
    dismissed += await dismissEntries(store, seqs, now);
    from = seqs.length < entriesPerBatch ? undefined : seqs.at(-1);
  }
  return dismissed;
}

/** Those of these entries that wait. Answers how many were dismissed. */
export async function dismissEntries(store: Store, seqs: readonly number[], now: string): Promise<number> {
  if (seqs.length === 0) return 0;
  return store.transaction(async (unit) => {
    await lockLog(unit);
    return markDismissed(unit, seqs, now);
  });
}
