import { describe, expect, it } from 'vitest';
import { addQueueHealth, createHealth, isSelfTest, selfTestBody } from '#src/receiver/health.ts';

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

  it('takes deliveries again when a queue that refused one responds and the spool does not work', async () => {
    let state: 'open' | 'half' = 'open';
    let responds = false;
    let now = 0;
    const health = createHealth({ checks: {}, clock: () => (now += 1000) });
    addQueueHealth(health, {
      circuit: { state: () => state },
      spool: { accepts: async () => false },
      ping: () => (responds ? up() : down()),
    });
    expect(await health.readiness()).toMatchObject({ status: 'not_ready' });
    state = 'half';
    expect(await health.readiness()).toMatchObject({ status: 'not_ready' });
    responds = true;
    expect(await health.readiness()).toMatchObject({ status: 'degraded', engines: { queue: 'down' } });
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
