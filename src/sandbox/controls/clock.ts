// Time passes: the sandbox's clock is moved forward, and what waited for a time happens.
import { z } from 'zod';
import { dayMs, hourMs, instantOf, minuteMs, secondMs } from '../clock.ts';
import type { Service } from '../world/service.ts';
import { defineControl } from './control.ts';
import { letPass } from './passing-time.ts';

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

export const clockControls = [
  defineControl({
    method: 'POST',
    path: '/clock',
    summary: 'Lets time pass, from one retry that is due to the next; they have been attempted when it answers',
    body: clockRequest,
    async run(needs, { advance }) {
      await letPass(needs, advance);
      return shown(needs.service);
    },
  }),
  defineControl({
    method: 'GET',
    path: '/clock',
    summary: 'What time it is here',
    run: ({ service }) => shown(service),
  }),
] as const;
