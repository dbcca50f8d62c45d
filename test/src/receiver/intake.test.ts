import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReceivedOutcome } from '#src/observability/metrics/registry.ts';
import { batchLimits, type DeliveryBatch, type QueuedDelivery } from '#src/queue/contract.ts';
import { createIntake } from '#src/receiver/intake.ts';
import { eventually } from '../../harness/moments.ts';
import { runs } from '../../harness/runs.ts';

const metrics = { batched: () => undefined };
const receivedAt = '2025-04-14T11:42:33.000000Z';
const delivery = (body: string): QueuedDelivery => ({ body, receivedAt });

/** `accept` is what the disk log does with a batch: here it only waits for `enqueue`. */
function intakeOf({
  enqueue,
  ...needs
}: {
  enqueue: (batch: DeliveryBatch) => Promise<unknown>;
  senders?: () => number;
}) {
  const accept = (batch: DeliveryBatch) => enqueue(batch).then((): ReceivedOutcome => 'queued');
  return createIntake({ diskLog: { accept }, metrics, ...needs });
}

/** An enqueue whose end the test decides. */
function heldQueue() {
  const waiting: (() => void)[] = [];
  const batches: DeliveryBatch[] = [];
  const enqueue = (batch: DeliveryBatch) => {
    batches.push(batch);
    return new Promise<void>((resolve) => void waiting.push(resolve));
  };
  return { batches, enqueue, release: () => waiting.shift()?.() };
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('natural batching', () => {
  it.each([[['a']], [['a', 'b']]])(
    'enqueues %j, of one turn of the event loop, at once and together',
    async (bodies) => {
      const queue = heldQueue();
      const intake = intakeOf(queue);
      for (const body of bodies) void intake.accept(delivery(body));
      await nextTurn();
      expect(queue.batches).toEqual([{ v: 1, deliveries: bodies.map(delivery) }]);
      queue.release();
    },
  );

  it('collects what arrives while a batch is being enqueued, and acknowledges nothing before it is durable', async () => {
    const queue = heldQueue();
    const intake = intakeOf(queue);
    const answered: string[] = [];
    const send = (body: string) => void intake.accept(delivery(body)).then(() => answered.push(body));
    send('a');
    await nextTurn();
    send('b');
    await nextTurn();
    send('c');
    queue.release();
    await eventually(() => queue.batches.length).toBe(2);
    expect(answered).toEqual(['a']);
    expect(queue.batches[1]?.deliveries).toEqual([delivery('b'), delivery('c')]);
    queue.release();
    await intake.settled();
    expect(answered).toEqual(['a', 'b', 'c']);
  });

  it('does not wait for more once every sender waits for its answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const batches: string[][] = [];
    const enqueue = async ({ deliveries }: DeliveryBatch) => batches.push(deliveries.map(({ body }) => body));
    const intake = intakeOf({ enqueue, senders: () => 2 });
    await intake.accept(delivery('a'));
    const second = intake.accept(delivery('b'));
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(batches).toEqual([['a']]);
    await Promise.all([second, intake.accept(delivery('c'))]);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('lets a small batch wait a moment for more when another has just been enqueued, and a large one not at all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const batches: number[] = [];
    const intake = intakeOf({ enqueue: async ({ deliveries }) => void batches.push(deliveries.length) });
    await intake.accept(delivery('first'));
    const second = intake.accept(delivery('second'));
    await nextTurn();
    await nextTurn();
    const third = intake.accept(delivery('third'));
    expect(batches).toEqual([1]);
    vi.advanceTimersByTime(15);
    await Promise.all([second, third]);
    expect(batches).toEqual([1, 2]);
    const many = Array.from({ length: 64 }, (_, index) => intake.accept(delivery(`${index}`)));
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([1, 2, 64]);
    await Promise.all(many);
  });
});

it('answers every delivery as its batch was answered, and has every batch within its limits', async () => {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: batchLimits.bytes + 10 }));
  const steps = fc.array(
    fc.record({
      size: sizes,
      count: fc.integer({ min: 1, max: 150 }),
      isLate: fc.boolean(),
      outcome: fc.constantFrom<ReceivedOutcome>('queued', 'on_disk', 'unavailable'),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      let at = 0;
      const step = () => plan[Math.min(at, plan.length - 1)];
      const batches: DeliveryBatch[] = [];
      const answered = new Map<string, ReceivedOutcome>();
      const accept = async (batch: DeliveryBatch): Promise<ReceivedOutcome> => {
        if (step()?.isLate) await nextTurn();
        batches.push(batch);
        const outcome = step()?.outcome ?? 'queued';
        for (const { receivedAt: id } of batch.deliveries) answered.set(id, outcome);
        return outcome;
      };
      const intake = createIntake({ diskLog: { accept }, metrics }, { maxWaitingBytes: 4 * batchLimits.bytes });
      const outcomes: Promise<void>[] = [];
      for (const { size, count } of plan) {
        for (let index = 0; index < Math.min(count, 2_000_000 / (size + 1)); index += 1) {
          const id = `${at}:${index}`;
          const outcome = intake.accept({ body: 'x'.repeat(size), receivedAt: id });
          outcomes.push(outcome.then((what) => expect([id, what]).toEqual([id, answered.get(id) ?? 'unavailable'])));
        }
        await nextTurn();
        at += 1;
      }
      await Promise.all(outcomes);
      for (const { deliveries } of batches) {
        const bytes = deliveries.reduce((sum, { body }) => sum + body.length, 0);
        expect(deliveries.length).toBeLessThanOrEqual(batchLimits.deliveries);
        expect(deliveries.length === 1 || bytes <= batchLimits.bytes).toBe(true);
      }
    }),
    runs(20),
  );
});
