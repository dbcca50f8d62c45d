// The log as a sink asks for it, to compare what it has with what it is sent. A number alone says nothing: after a restore or a
// failover, a log gives the same numbers to other entries (D66).
import type { Store } from '#src/store/contract.ts';
import { eventSourceOf } from '#src/feed/cloud-event.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { lastSeq, receiptTimes } from '#src/store/log/read.ts';
import { readSettled } from './restart.ts';
import type { SinkNeeds } from './sink.ts';

export const sinkNeedsOf = (store: Store, position: string): SinkNeeds => ({
  eventSource: async () => eventSourceOf(store),
  log: {
    lastSeq: () => lastSeq(store),
    receiptTimes: (seqs) => receiptTimes(store, seqs),
    position: async () => (await readPosition(store, position)) ?? (await lastSeq(store)),
    settled: () => readSettled(store, position),
  },
});
