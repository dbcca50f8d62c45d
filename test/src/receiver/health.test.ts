import { describe, expect, it } from 'vitest';
import { createHealth, isSelfTest, selfTestBody } from '#src/receiver/health.ts';

const up = async () => undefined;
const down = async () => Promise.reject(new Error('postgres://user:canary@db refused'));

describe('readiness', () => {
  it('names every engine and is false while one does not respond', async () => {
    const health = createHealth({ checks: { queue: up, store: down }, clock: () => 0 });
    expect(await health.readiness()).toEqual({
      ready: false,
      stopping: false,
      engines: { queue: 'up', store: 'down' },
    });
  });

  it('is false from the moment the process is stopping', async () => {
    const health = createHealth({ checks: { queue: up }, clock: () => 0 });
    expect(await health.readiness()).toMatchObject({ ready: true });
    health.stop();
    expect(await health.readiness()).toMatchObject({ ready: false, stopping: true });
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
