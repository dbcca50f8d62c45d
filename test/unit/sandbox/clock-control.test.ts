// Time passes when it is told to.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSandbox } from '../../harness/sandbox.ts';
import type { TestSandbox } from '../../harness/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  const realMs = (): number => Date.parse('2026-05-04T09:00:00Z');
  sandbox = await openTestSandbox({ contacts: 0, bookings: 0 }, { realMs });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const now = async (): Promise<string> => (await sandbox.control('GET', '/clock')).body.now;

describe('the clock', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    [90, 90_000],
    [0.25, 250],
    ['0s', 0],
  ])('is advanced by %j', async (advance, ms) => {
    const before = Date.parse(await now());
    const { status, body } = await sandbox.control('POST', '/clock', { advance });
    expect(status).toBe(200);
    expect(body.now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Date.parse(body.now) - before).toBe(ms);
    expect(await now()).toBe(body.now);
  });

  it.each([{}, { advance: 'soon' }, { advance: '-1h' }, { advance: -1 }, { advance: '5w' }, { advance: '99999d' }])(
    'is not moved by %j',
    async (body) => {
      const before = await now();
      expect((await sandbox.control('POST', '/clock', body)).status).toBe(400);
      expect(await now()).toBe(before);
    },
  );
});
