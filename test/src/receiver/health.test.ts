import { describe, expect, it } from 'vitest';
import { addDeliveryHealth, createHealth } from '#src/receiver/health.ts';

const up = async () => undefined;
const down = async () => Promise.reject(new Error('postgres://user:canary@db refused'));

describe('readiness', () => {
  const full = { deliveries: 'degraded', stopping: false };
  it('is false while an engine does not respond, unless its fallback works, and names every engine', async () => {
    let works: () => Promise<boolean> = async () => true;
    let now = 0;
    const of = (checks: Parameters<typeof createHealth>[0]['checks']) => createHealth({ checks, clock: () => now });
    const engines = { queue: 'up', store: 'down' };
    expect(await of({ queue: up, store: down }).readiness()).toEqual({ ...full, status: 'not_ready', engines });
    const health = of({ queue: up, store: up });
    health.add('queue', down, () => works());
    expect(await health.readiness()).toEqual({ ...full, status: 'degraded', engines: { queue: 'down', store: 'up' } });
    for (const broken of [async () => false, async () => Promise.reject(new Error('no space left'))]) {
      works = broken;
      now += 1000;
      expect(await health.readiness()).toMatchObject({ status: 'not_ready', deliveries: 'not_ready' });
    }
    const both = of({ store: down });
    both.add('queue', down, async () => true);
    expect(await both.readiness()).toMatchObject({ status: 'not_ready', deliveries: 'degraded' });
  });

  it.each([
    // Every batch is written, the disk writes, the circuit, the queue answers: what a delivery meets.
    [true, true, 'closed', true, 'ready'],
    [true, true, 'open', true, 'degraded'],
    [true, true, 'closed', false, 'degraded'],
    [true, false, 'closed', true, 'not_ready'],
    [false, true, 'unsafe', false, 'degraded'],
    [false, false, 'closed', true, 'degraded'],
    [false, false, 'closed', false, 'not_ready'],
    [false, false, 'open', true, 'not_ready'],
    [false, false, 'probing', true, 'degraded'],
    [false, false, 'full', false, 'not_ready'],
  ] as const)('every batch written: %s, disk: %s, circuit %s, queue: %s is %s', async (...row) => {
    const [writesEvery, writes, state, answers, expected] = row;
    const health = createHealth({ checks: {}, clock: () => 0 });
    const circuit = { state: () => state, ping: () => (answers ? up() : down()) };
    const accepts = addDeliveryHealth(health, { circuit, diskLog: { writesEvery, canWrite: async () => writes } });
    expect((await health.readiness()).deliveries).toBe(expected);
    expect(await accepts()).toBe(expected !== 'not_ready');
  });

  it('checks the engines once per second, however many requests arrive', async () => {
    let now = 0;
    let asked = 0;
    const health = createHealth({ checks: { queue: async () => void (asked += 1) }, clock: () => now });
    await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
    now = 999;
    await health.readiness();
    expect(asked).toBe(1);
    now = 1000;
    await health.readiness();
    expect(asked).toBe(2);
  });
});
