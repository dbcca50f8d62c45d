import { describe, expect, it } from 'vitest';
import { addDeliveryHealth, createHealth, isSelfTest, selfTestBody } from '#src/receiver/health.ts';

const up = async () => undefined;
const down = async () => Promise.reject(new Error('postgres://user:canary@db refused'));

describe('readiness', () => {
  it('names every engine and is false while one does not respond', async () => {
    const health = createHealth({ checks: { queue: up, store: down }, clock: () => 0 });
    expect(await health.readiness()).toEqual({
      status: 'not_ready',
      deliveries: 'degraded',
      stopping: false,
      engines: { queue: 'up', store: 'down' },
    });
  });

  it('is false from the moment the process is stopping', async () => {
    const health = createHealth({ checks: { queue: up }, clock: () => 0 });
    expect(await health.readiness()).toMatchObject({ status: 'ready' });
    health.stop();
    expect(await health.readiness()).toMatchObject({ status: 'not_ready', stopping: true });
  });

  it('is degraded while an engine is down and its fallback works, and false when neither does', async () => {
    let works = true;
    let now = 0;
    const health = createHealth({ checks: { queue: up, store: up }, clock: () => now });
    health.add('queue', down, async () => works);
    expect(await health.readiness()).toEqual({
      status: 'degraded',
      deliveries: 'degraded',
      stopping: false,
      engines: { queue: 'down', store: 'up' },
    });
    works = false;
    now = 1000;
    expect(await health.readiness()).toMatchObject({ status: 'not_ready', engines: { queue: 'down' } });
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

  it('is false when an engine without a fallback is down beside one with a fallback', async () => {
    const health = createHealth({ checks: { store: down }, clock: () => 0 });
    health.add('queue', down, async () => true);
    expect(await health.readiness()).toMatchObject({ status: 'not_ready', deliveries: 'degraded' });
  });

  it('is false when a fallback fails', async () => {
    const health = createHealth({ checks: {}, clock: () => 0 });
    health.add('queue', down, async () => Promise.reject(new Error('no space left')));
    expect(await health.readiness()).toMatchObject({ status: 'not_ready', deliveries: 'not_ready' });
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

describe('the self-test delivery', () => {
  it('is recognized by its bytes', () => {
    expect(isSelfTest(Buffer.from(selfTestBody))).toBe(true);
  });

  it.each([
    ['with something added', `${selfTestBody.toString()} `],
    ['spelled another way', selfTestBody.toString().replace(':', ': ')],
    ['of another kind', selfTestBody.toString().replace('self_test', 'self_tesT')],
    ['that is empty', ''],
  ])('is not a delivery %s', (_what, text) => {
    expect(isSelfTest(Buffer.from(text))).toBe(false);
  });
});
