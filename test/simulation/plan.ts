// The plans of the simulation: what the service sends, how the processes are set up, and which faults happen when.
import fc from 'fast-check';
import { alertHistory } from '../harness/data/alert-histories.ts';
import { history, type Delivery, type Observation } from '../harness/data/delivery-histories.ts';
import { diskModes, type DiskMode } from './model-disk.ts';
import { queueModes, type QueueMode } from './model-queue.ts';
import { channelModes, storeModes, type StoreMode } from './processes.ts';

const which = fc.nat(1);
/** So many deliveries, and again what was not acknowledged. */
const send = fc.record({ send: fc.nat(3), to: which });
const happenings = [
  fc.record({ disk: fc.constantFrom('ok', ...diskModes) }),
  fc.record({ queue: fc.constantFrom('ok', ...queueModes) }),
  fc.record({ store: fc.constantFrom(...storeModes) }),
  fc.record({ channel: fc.constantFrom(...channelModes) }),
  fc.record({ does: fc.constantFrom('snapshot', 'lose', 'lose') }),
  // All receivers are on one machine. With the queue, when it is on that machine too.
  fc.record({ does: fc.constant('damage') }),
  fc.record({ cutPower: fc.constantFrom('receivers', 'receivers and queue', 'receivers and queue') }),
  fc.oneof(
    // It starts again on a disk that may fail.
    { weight: 2, arbitrary: fc.record({ crashReceiver: which, disk: fc.constantFrom('ok', ...diskModes) }) },
    { weight: 1, arbitrary: fc.record({ toggle: fc.constant('receiver'), at: which }) },
  ),
  fc.oneof(
    fc.record({ crashWorker: which }),
    fc.record({ toggle: fc.constant('worker'), at: which }),
    fc.record({ does: fc.constant('stall') }),
  ),
  // Long enough for what receivers and workers do every 30 s. Or shorter, until a receiver looks for what others have left.
  fc.record({ waitMs: fc.constant(40_000), untilListed: fc.boolean() }),
] as const;
const anything = fc.oneof(send, ...happenings);
export type Action = typeof anything extends fc.Arbitrary<infer One> ? One : never;

const deliveries: fc.Arbitrary<Delivery[]> = fc
  .oneof({ weight: 2, arbitrary: alertHistory }, { weight: 1, arbitrary: history(5) })
  .map((observations: readonly Observation[]) =>
    observations.flatMap(({ fact, body }) => (body === null ? [] : [{ fact, body }])).slice(0, 8),
  );

export const plans = fc.record({
  deliveries,
  /** What is sent before the first action; and whether receivers have time to answer. */
  first: fc.record({ send: fc.integer({ min: 1, max: 3 }), after: fc.constantFrom(0, 60) }),
  receivers: fc.integer({ min: 1, max: 2 }),
  workers: fc.integer({ min: 1, max: 2 }),
  isLossy: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  segmentBytes: fc.constantFrom(1, 1_500, 100_000),
  diskLogBytes: fc.constantFrom(2_000, 1_000_000, 1_000_000),
  eraseOnDelete: fc.boolean(),
  /** At the start: while it refuses, deliveries wait in the disk log. */
  queue: fc.constantFrom<QueueMode>('ok', 'ok', 'slow', 'refusing', 'full'),
  seed: fc.nat(),
  disk: fc.constantFrom<DiskMode>('ok', 'ok', 'ok', 'slow', 'flush'),
  store: fc.constantFrom<StoreMode>('ok', 'ok', 'ok', 'down', 'down'),
  /** Few kinds of happenings, so that each happens often enough to meet the others. */
  actions: fc.subarray([...happenings], { minLength: 2, maxLength: 5 }).chain((kinds) =>
    fc.array(
      /** So many tasks happen before it, or fewer: until a write begins, or until receivers have answered all requests. */
      fc.record({
        after: fc.oneof(fc.nat(4), fc.nat(40)),
        until: fc.constantFrom('over', 'write', 'answer'),
        what: fc.oneof<{ arbitrary: fc.Arbitrary<Action>; weight: number }[]>(
          { arbitrary: send, weight: 4 },
          ...kinds.map((arbitrary) => ({ arbitrary, weight: 2 })),
        ),
      }),
      { minLength: 3, maxLength: 12, size: 'max' },
    ),
  ),
});

/** Deliveries arrive while receivers look for what others have left, and names could not be flushed before: elsewhere these rarely meet. */
export const adoptingPlans = fc
  .record({
    plan: plans,
    actions: fc.array(
      fc.record({
        after: fc.nat(3),
        until: fc.constant('over' as const),
        what: fc.oneof(
          fc.record({ waitMs: fc.constant(40_000), untilListed: fc.constant(true) }),
          fc.record({ send: fc.constant(1), to: which }),
        ),
      }),
      { minLength: 6, maxLength: 14, size: 'max' },
    ),
  })
  .map(({ plan, actions }): Plan => ({ ...plan, disk: 'flush', queue: 'refusing', actions }));

/** A file of a receiver that crashed is damaged, and set aside before the power is cut: elsewhere these rarely meet. */
export const damagingPlans = fc
  .record({ plan: plans, after: fc.array(fc.nat(20), { minLength: 9, maxLength: 9 }) })
  .map(({ plan, after }): Plan => {
    const long = { waitMs: 40_000, untilListed: false } as const;
    const happens: readonly Action[] = [
      { send: 1, to: 0 },
      { send: 1, to: 0 },
      { send: 1, to: 0 },
      { does: 'damage' },
      { crashReceiver: 0, disk: 'ok' },
      { queue: 'ok' },
      long,
      { cutPower: 'receivers' },
      { send: 1, to: 0 },
    ];
    const actions = happens.map((what, at) => ({ after: after[at] ?? 0, until: 'over' as const, what }));
    return { ...plan, disk: 'ok', queue: 'refusing', store: 'ok', actions };
  });

export type Plan = typeof plans extends fc.Arbitrary<infer One> ? One : never;
