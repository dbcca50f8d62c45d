// Time passes: the sandbox's clock is moved forward, and what waited for a time happens.
import { z } from 'zod';
import { instantOf } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { defineControl } from './control.ts';
import { duration } from './duration.ts';
import { letPass } from './advance-clock.ts';

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
