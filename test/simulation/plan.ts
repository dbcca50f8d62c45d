// The plans of the simulation: what the service sends, how the processes are set up, and which faults happen when.
import fc from 'fast-check';
import { alertHistory } from '../harness/data/alert-histories.ts';
import { history, type Delivery, type Observation } from '../harness/data/delivery-histories.ts';
import { diskModes } from './model-disk.ts';
import { queueModes, type QueueMode } from './model-queue.ts';
import { channelModes, storeModes } from './processes.ts';

const which = fc.nat(1);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ send: fc.integer({ min: 1, max: 3 }), to: which }) },
  { weight: 1, arbitrary: fc.record({ resendTo: which }) },
  { weight: 3, arbitrary: fc.record({ disk: fc.constantFrom(...diskModes) }) },
  { weight: 3, arbitrary: fc.record({ queue: fc.constantFrom(...queueModes) }) },
  { weight: 1, arbitrary: fc.record({ store: fc.constantFrom(...storeModes) }) },
  { weight: 1, arbitrary: fc.record({ channel: fc.constantFrom(...channelModes) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('lose', 'snapshot', 'stall', 'cutPower') }) },
  // It starts again on a disk that may fail.
  { weight: 3, arbitrary: fc.record({ crashReceiver: which, disk: fc.constantFrom(...diskModes) }) },
  { weight: 2, arbitrary: fc.record({ crashWorker: which }) },
);
export type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

const deliveries: fc.Arbitrary<Delivery[]> = fc
  .oneof({ weight: 2, arbitrary: alertHistory }, { weight: 1, arbitrary: history(5) })
  .map((observations: readonly Observation[]) =>
    observations.flatMap(({ fact, body }) => (body === null ? [] : [{ fact, body }])).slice(0, 8),
  );

export const plans = fc.record({
  deliveries,
  receivers: fc.integer({ min: 1, max: 2 }),
  workers: fc.integer({ min: 1, max: 2 }),
  isLossy: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  segmentBytes: fc.constantFrom(1, 1_500, 100_000),
  journalBytes: fc.constantFrom(2_000, 1_000_000, 1_000_000),
  eraseOnDelete: fc.boolean(),
  /** At the start: while it refuses, deliveries go to the spool. */
  queue: fc.constantFrom<QueueMode>('ok', 'ok', 'refusing'),
  seed: fc.nat(),
  /** `after`: how many tasks happen before it. `isDuringWrite`: or fewer, when a write begins. */
  actions: fc.array(fc.record({ after: fc.nat(25), isDuringWrite: fc.boolean(), what: action }), {
    minLength: 1,
    maxLength: 12,
    size: 'max',
  }),
});
export type Plan = typeof plans extends fc.Arbitrary<infer One> ? One : never;
