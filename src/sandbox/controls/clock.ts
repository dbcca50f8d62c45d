// Time passes: the sandbox's clock is moved forward, and what waited for a time happens.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { dayMs, hourMs, instantOf, minuteMs, secondMs } from '../clock.ts';
import type { Service } from '../world/service.ts';
import { defineControl } from './control.ts';

const unitMs = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const;
const longestMs = 3660 * dayMs;

const duration = z
  .union([
    z
      .string()
      .regex(/^\d{1,12}(\.\d{1,6})?(ms|s|m|h|d)$/, 'a number and one of ms, s, m, h, d: 90s, 15m, 24h, 7d')
      .transform((text) => Number.parseFloat(text) * unitMs[text.replace(/^[\d.]+/, '') as keyof typeof unitMs]),
    z
      .number()
      .min(0)
      .transform((seconds) => seconds * secondMs),
  ])
  .transform(Math.round)
  .pipe(z.int().max(longestMs, 'at most ten years'));

const clockRequest = z.strictObject({ advance: duration });

const shown = ({ clock }: Service): object => ({ now: instantOf(clock.nowMs()) });

/** Longer than any attempt can take. Where the world lives by itself, something is always being sent. */
const patienceMs = 26 * secondMs;

export const clockControls = [
  defineControl({
    method: 'POST',
    path: '/clock',
    summary: 'Lets time pass; retries that became due have been attempted when it answers',
    body: clockRequest,
    async run({ service, courier }, { advance }) {
      // What is under way belongs to the time before.
      await within(patienceMs, courier.idle());
      service.clock.advance(advance);
      // What became due has left the agenda by now; what is held back for longer is not waited for.
      await within(patienceMs, courier.idle());
      return shown(service);
    },
  }),
  defineControl({
    method: 'GET',
    path: '/clock',
    summary: 'What time it is here',
    run: ({ service }) => shown(service),
  }),
] as const;

async function within(ms: number, done: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const late = wait(ms, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
  await Promise.race([done, late]);
  ended.abort();
}
