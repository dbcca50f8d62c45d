// The control that advances the clock.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { until } from '../../../harness/ports.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

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
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    [90, 90_000],
    [0.25, 250],
    ['0s', 0],
    [' 2 D ', 172_800_000],
    ['1d12h', 129_600_000],
    ['0.5', 500],
  ])('is advanced by %j', async (advance, ms) => {
    const before = Date.parse(await now());
    const { status, body } = await sandbox.control('POST', '/clock', { advance });
    expect(status).toBe(200);
    expect(body.now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Date.parse(body.now) - before).toBe(ms);
    expect(await now()).toBe(body.now);
  });

  const advice = 'expected a duration: a number of seconds, or 90s, 15m, 24h, 7d, 1d12h';
  it.each([
    [{}, 'required'],
    [{ advance: null }, advice],
    [{ advance: 'soon' }, advice],
    [{ advance: '1h30' }, advice],
    [{ advance: -1 }, advice],
    [{ advance: true }, advice],
    [{ advance: '9'.repeat(200) }, advice],
    [{ advance: '99999d' }, 'at most ten years'],
  ])('is not moved by %j: %s', async (body, message) => {
    const before = await now();
    const { status, body: answer } = await sandbox.control('POST', '/clock', body);
    expect(status).toBe(400);
    expect(answer.details).toMatchObject([{ parameter: 'advance', message }]);
    expect(await now()).toBe(before);
  });

  it('goes on when a subscriber never answers, and tells of the others what became due', async () => {
    const own = await openTestSandbox({ contacts: 0, bookings: 0 });
    onTestFinished(() => own[Symbol.asyncDispose]());
    // Steps are bounded in real time, which does not pass here: a busy machine takes as many as another.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await using silent = await openCallback();
    await using callback = await openCallback();
    silent.answer = null;
    callback.answer = 500;
    for (const { url } of [silent, callback])
      await own.call('POST', '/webhook_subscriptions', {
        body: { url, events: ['routing_form_submission.created'], ...wholeOrganization(own) },
      });
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

const wholeOrganization = ({ handles: { organization } }: TestSandbox) => ({ organization, scope: 'organization' });
