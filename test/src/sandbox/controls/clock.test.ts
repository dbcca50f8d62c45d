// The control that advances the clock.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { until } from '../../../harness/ports.ts';
import { openTestSandbox, openForSuite } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 0, bookings: 0 }, undefined, (options) =>
  openTestSandbox(options, { realMs: () => Date.parse('2026-05-04T09:00:00Z') }),
);

const now = async (): Promise<number> => Date.parse((await sandbox.control('GET', '/clock')).body.now);

describe('the clock', () => {
  it.each([
    ['500ms', 500],
    ['1.5h', 5_400_000],
    [0.25, 250],
    ['0s', 0],
    [' 2 D ', 172_800_000],
    ['1d12h', 129_600_000],
    ['0.5', 500],
  ])('is advanced by %j', async (advance, ms) => {
    const before = await now();
    const { status, body } = await sandbox.control('POST', '/clock', { advance });
    expect([status, Date.parse(body.now) - before, await now()]).toEqual([200, ms, before + ms]);
  });

  const advice = 'expected a duration: a number of seconds, or 90s, 15m, 24h, 7d, 1d12h';
  it.each([
    [undefined, 'required'],
    [null, advice],
    ['soon', advice],
    ['1h30', advice],
    [-1, advice],
    [true, advice],
    ['9'.repeat(200), advice],
    ['99999d', 'at most ten years'],
  ])('is not moved by %j: %s', async (advance, message) => {
    const before = await now();
    const refused = { status: 400, body: { details: [{ parameter: 'advance', message }] } };
    expect(await sandbox.control('POST', '/clock', { advance })).toMatchObject(refused);
    expect(await now()).toBe(before);
  });

  it('goes on when a subscriber never answers, and tells of the others what became due', async () => {
    await using own = await openTestSandbox({ contacts: 0, bookings: 0 });
    // Steps are bounded in real time, which does not pass here: a busy machine takes as many as another.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await using silent = await openCallback();
    await using callback = await openCallback();
    silent.answer = null;
    callback.answer = 500;
    const { organization } = own.handles;
    const events = ['routing_form_submission.created'];
    for (const { url } of [silent, callback])
      await own.call('POST', '/webhook_subscriptions', { body: { url, events, organization, scope: 'organization' } });
    await own.control('POST', '/routing_form_submissions');
    await until(() => own.dispatcher.total === 1 && silent.received.length === 1, 'one has answered, one has not');
    const before = Date.parse((await own.control('GET', '/clock')).body.now);
    const { body } = await own.control('POST', '/clock', { advance: '1m' });
    expect(Date.parse(body.now) - before).toBeGreaterThanOrEqual(60_000);
    // At once, after 5, 15 and 35 seconds; the silent one is still within its time-out.
    expect(callback.received).toHaveLength(4);
    expect(own.dispatcher.attempts.map(({ url }) => url)).not.toContain(silent.url);
  });
});
