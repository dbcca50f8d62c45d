import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { batchLimits } from '#src/queue/contract.ts';
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';
import { createQueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { createIntake, deliveryOf } from '#src/receiver/intake.ts';
import type { IntakeOptions } from '#src/receiver/intake.ts';
import { runs } from '../../harness/runs.ts';

const log = createLog({ level: 'silent', pretty: false });
const metrics = { batched: () => undefined };
const receivedAt = '2025-04-14T11:42:33.000000Z';
const delivery = (body: string): QueuedDelivery => ({ body, receivedAt });

interface World {
  readonly enqueue: (batch: DeliveryBatch) => Promise<void>;
  readonly append?: (batch: DeliveryBatch) => Promise<boolean>;
  readonly spoolHolds?: () => boolean;
  readonly clock?: () => number;
  readonly timeoutMs?: number;
  readonly options?: IntakeOptions;
}

function intakeOf(world: World) {
  const { enqueue, append, spoolHolds = () => false, clock = () => 0, timeoutMs = 10_000, options = {} } = world;
  const circuit = createQueueCircuit({ enqueue, log, clock }, { timeoutMs, firstPauseMs: 100 });
  const spool = { append: append ?? (async () => true), isEmpty: () => !spoolHolds() };
  return createIntake({ circuit, spool, metrics }, options);
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
  it('enqueues a single delivery without waiting for others', async () => {
    const queue = heldQueue();
    void intakeOf(queue).accept(delivery('a'));
    await nextTurn();
    expect(queue.batches).toEqual([{ v: 1, deliveries: [delivery('a')] }]);
    queue.release();
  });

  it('batches what arrived in one turn of the event loop', async () => {
    const queue = heldQueue();
    const intake = intakeOf(queue);
    for (const body of ['a', 'b']) void intake.accept(delivery(body));
    await nextTurn();
    expect(queue.batches).toEqual([{ v: 1, deliveries: [delivery('a'), delivery('b')] }]);
    queue.release();
  });

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
    await expect.poll(() => queue.batches.length).toBe(2);
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
    const enqueue = async ({ deliveries }: DeliveryBatch): Promise<boolean> =>
      batches.push(deliveries.map(({ body }) => body)) > 0;
    const circuit = { enqueue, state: () => 'closed' as const };
    const spool = { append: async () => true, isEmpty: () => true };
    const intake = createIntake({ circuit, spool, metrics, senders: () => 2 });
    await intake.accept(delivery('a'));
    const second = intake.accept(delivery('b'));
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(batches).toEqual([['a']]);
    await Promise.all([second, intake.accept(delivery('c'))]);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('enqueues a delivery larger than a batch alone', async () => {
    const queue = heldQueue();
    const intake = intakeOf(queue);
    const large = delivery('x'.repeat(batchLimits.bytes + 1));
    for (const each of [delivery('a'), delivery('b'), large, delivery('c')]) void intake.accept(each);
    for (let sent = 1; sent <= 3; sent += 1) {
      await expect.poll(() => queue.batches.length).toBe(sent);
      queue.release();
    }
    expect(queue.batches.map(({ deliveries }) => deliveries.length)).toEqual([2, 1, 1]);
    expect(queue.batches[1]?.deliveries).toEqual([large]);
  });

  it('holds at most its limit of bytes and rejects the rest', async () => {
    const queue = heldQueue();
    const intake = intakeOf({ ...queue, options: { maxWaitingBytes: 10 } });
    const first = intake.accept(delivery('12345678'));
    expect(await intake.accept(delivery('123'))).toBe('unavailable');
    await nextTurn();
    queue.release();
    expect(await first).toBe('queued');
    const after = intake.accept(delivery('123'));
    await expect.poll(() => queue.batches.length).toBe(2);
    queue.release();
    expect(await after).toBe('queued');
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

describe('a queue that fails', () => {
  const down = { enqueue: async () => Promise.reject(new Error('down')) };

  it('sends the batch to the spool', async () => {
    expect(await intakeOf(down).accept(delivery('a'))).toBe('spooled');
  });

  it('that never responds costs one timeout, not one per batch', async () => {
    let tries = 0;
    const enqueue = () => {
      tries += 1;
      return new Promise<void>(() => undefined);
    };
    const intake = intakeOf({ enqueue, timeoutMs: 10 });
    for (let round = 0; round < 20; round += 1) expect(await intake.accept(delivery('a'))).toBe('spooled');
    expect(tries).toBe(1);
  });

  it('and a spool that is full make the delivery unavailable', async () => {
    expect(await intakeOf({ ...down, append: async () => false }).accept(delivery('a'))).toBe('unavailable');
  });

  it('and a journal that is full make the delivery unavailable, although the spool has room', async () => {
    let spooled = 0;
    const circuit = createQueueCircuit({ enqueue: async () => undefined, log, clock: () => 0 });
    const append = async () => (spooled += 1) > 0;
    const needs = { circuit, spool: { append, isEmpty: () => true }, metrics, journal: { isFull: () => true } };
    expect(await createIntake(needs).accept(delivery('a'))).toBe('unavailable');
    expect(spooled).toBe(0);
  });

  it('is probed again after growing pauses', async () => {
    let now = 0;
    const triedAt: number[] = [];
    const enqueue = async () => {
      triedAt.push(now);
      throw new Error('down');
    };
    const intake = intakeOf({ enqueue, clock: () => now });
    for (; now < 1000; now += 10) await intake.accept(delivery('a'));
    expect(triedAt).toEqual([0, 100, 300, 700]);
  });

  it('is probed by the drain only while the spool is not empty', async () => {
    let tries = 0;
    let now = 0;
    const enqueue = async () => {
      tries += 1;
      throw new Error('down');
    };
    const intake = intakeOf({ enqueue, clock: () => now, spoolHolds: () => tries > 0 });
    for (; now < 1000; now += 10) await intake.accept(delivery('a'));
    expect(tries).toBe(1);
  });
});

it('loses nothing it accepted and keeps every batch within its limits, whatever the queue does', async () => {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: batchLimits.bytes + 10 }));
  const steps = fc.array(
    fc.record({
      size: sizes,
      count: fc.integer({ min: 1, max: 300 }),
      queue: fc.constantFrom('ok', 'late', 'fails'),
      spool: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      let at = 0;
      let now = 0;
      const step = () => plan[Math.min(at, plan.length - 1)];
      const batches: DeliveryBatch[] = [];
      const safe = new Set<string>();
      const keep = (batch: DeliveryBatch) => {
        batches.push(batch);
        for (const { receivedAt: id } of batch.deliveries) safe.add(id);
      };
      const enqueue = async (batch: DeliveryBatch) => {
        if (step()?.queue === 'fails') throw new Error('down');
        if (step()?.queue === 'late') await new Promise((resolve) => setImmediate(resolve));
        keep(batch);
      };
      const append = async (batch: DeliveryBatch) => {
        if (step()?.spool) keep(batch);
        return step()?.spool ?? false;
      };
      const intake = intakeOf({
        enqueue,
        append,
        clock: () => now,
        options: { maxWaitingBytes: 4 * batchLimits.bytes },
      });
      const outcomes: Promise<void>[] = [];
      for (const { size, count } of plan) {
        for (let index = 0; index < Math.min(count, 5_000_000 / (size + 1)); index += 1) {
          const id = `${at}:${index}`;
          const outcome = intake.accept({ body: 'x'.repeat(size), receivedAt: id });
          outcomes.push(outcome.then((what) => expect([id, safe.has(id)]).toEqual([id, what !== 'unavailable'])));
        }
        await new Promise((resolve) => setImmediate(resolve));
        at += 1;
        now += 1000;
      }
      await Promise.all(outcomes);
      for (const { deliveries } of batches) {
        const bytes = deliveries.reduce((sum, { body }) => sum + body.length, 0);
        expect(deliveries.length).toBeLessThanOrEqual(batchLimits.deliveries);
        expect(deliveries.length === 1 || bytes <= batchLimits.bytes).toBe(true);
      }
    }),
    runs(40),
  );
});

const travelling = (delivery: QueuedDelivery): unknown => JSON.parse(JSON.stringify(delivery));

describe('a delivery', () => {
  it('is text when its body is valid UTF-8 without NUL, otherwise base64', () => {
    const at = Date.UTC(2025, 3, 14, 11, 42, 33, 115);
    const time = '2025-04-14T11:42:33.115000Z';
    expect(travelling(deliveryOf(Buffer.from('\ufeff{"é":"😀"}'), at))).toEqual({
      body: '\ufeff{"é":"😀"}',
      receivedAt: time,
    });
    expect(travelling(deliveryOf(Buffer.from([0xff]), at))).toEqual({
      body: '/w==',
      encoding: 'base64',
      receivedAt: time,
    });
    expect(travelling(deliveryOf(Buffer.from('\0'), at))).toEqual({
      body: 'AA==',
      encoding: 'base64',
      receivedAt: time,
    });
    expect(travelling(deliveryOf(Buffer.from([0xed, 0xa0, 0x80]), at))).toMatchObject({ encoding: 'base64' });
  });
});
