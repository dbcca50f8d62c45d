// Controls of time and of the delivery of webhooks: the clock, faults, the log of attempts, and disabling a subscription.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { compareText } from '#src/http/pagination.ts';
import { faultRequest } from '#src/sandbox/webhooks/faults.ts';
import { found, type Service } from '#src/sandbox/world/service.ts';
import { disableSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { control, type ControlContext } from './control.ts';
import { dayMs, hourMs, instantOf, minuteMs, pause, secondMs } from '#src/sandbox/clock.ts';

export const webhookControls = [
  control('POST', '/faults', {
    summary: 'Replaces the faults on deliveries and answers; {} clears them',
    body: faultRequest,
    answers: 'object',
    run({ faults, body }) {
      faults.set(body);
      return faults.current;
    },
  }),
  control('GET', '/faults', { summary: 'The current faults', answers: 'object', run: ({ faults }) => faults.current }),
  control('POST', '/subscriptions/disable', {
    summary: 'Disables a webhook subscription, as a day without an answer would',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run({ service, body }) {
      const subscription = found(service.state.subscriptions.get(body.uri), 'subscription', 'uri');
      const isDisabled = subscription.state === 'disabled';
      return subscriptionRecord(isDisabled ? subscription : disableSubscription(service, subscription));
    },
  }),
  control('GET', '/deliveries', {
    summary:
      'Attempts to deliver, oldest first: the newest ten thousand of `total`; `pending` messages are still to come',
    answers: 'object',
    run: ({ dispatcher }) => ({
      collection: dispatcher.attempts.toSorted((a, b) => compareText(a.at, b.at)),
      total: dispatcher.total,
      pending: dispatcher.pending,
    }),
  }),
];

const unitsMs = new Map(Object.entries({ ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs }));
const maxDurationMs = 3660 * dayMs;
const advice = 'expected a duration: a number of seconds, or 90s, 15m, 24h, 7d, 1d12h';
const form = /^(\d{1,12}(\.\d+)?|(\d{1,12}(\.\d+)?\s*(ms|s|m|h|d)\s*)+)$/;

/** Milliseconds. People type this by hand, so it takes more forms than a setting does: sums, decimals, plain seconds. */
const duration = z
  .union([z.string().max(100, advice), z.number()], {
    error: ({ input }) => (input === undefined ? undefined : advice),
  })
  .transform((given) => String(given).trim().toLowerCase())
  .refine((text) => form.test(text), advice)
  .transform((text) =>
    text
      .matchAll(/([\d.]+)\s*([a-z]*)/g)
      .reduce((sum, [, number, unit = '']) => sum + Number(number) * (unitsMs.get(unit || 's') ?? 0), 0),
  )
  .transform(Math.round)
  .pipe(z.int().max(maxDurationMs, 'at most ten years'));

const clockRecord = ({ clock }: Service): object => ({ now: instantOf(clock.nowMs()) });

export const clockControls = [
  control('POST', '/clock', {
    summary: 'Advances the clock, from one due retry to the next; all of them were attempted when it answers',
    body: z.strictObject({ advance: duration }),
    answers: 'object',
    async run({ service, dispatcher, body: { advance } }) {
      await advanceClock({ service, dispatcher }, advance);
      return clockRecord(service);
    },
  }),
  control('GET', '/clock', {
    summary: 'The time of the sandbox',
    answers: 'object',
    run: ({ service }) => clockRecord(service),
  }),
];

/** In real time. A request in flight belongs to the time before, but one that is never answered is not waited for. */
const maxMs = { inFlight: 0.5 * secondMs, stepping: 2 * secondMs, all: 3 * secondMs } as const;

/**
 * The clock stops at each time something is due until it was attempted, so a day of retries is a day of attempts. The whole
 * is bounded in real time: a subscriber that never answers does not block the caller for long.
 */
async function advanceClock(
  { service: { clock }, dispatcher }: Pick<ControlContext, 'service' | 'dispatcher'>,
  ms: number,
): Promise<void> {
  const startMs = performance.now();
  const leftOf = (bound: keyof typeof maxMs): number => Math.max(0, maxMs[bound] - (performance.now() - startMs));
  await within(leftOf('inFlight'), dispatcher.idle());
  for (let remaining = ms; ;) {
    const step = Math.max(0, dispatcher.nextMs - clock.nowMs());
    const isLast = step > remaining || leftOf('stepping') === 0;
    const stepMs = isLast ? remaining : step;
    const attempted = dispatcher.attempted(() => clock.advance(stepMs));
    remaining -= stepMs;
    await within(leftOf(isLast ? 'all' : 'stepping'), attempted);
    if (isLast) return;
  }
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([done, pause(ms, ended.signal)]);
  ended.abort();
}
