// Of what ended lately, unusually much was missed: something is wrong with the invitation, or the clock.
import { z } from 'zod';
import { duration } from '#src/config/readers.ts';
import { defineCondition } from './condition.ts';

export const noShowSpike = defineCondition({
  when: 'no_show_spike',
  title: 'Many no-shows',
  about: 'Unusually many do not show up.',
  options: {
    /** Counted apart for each. */
    by: z.enum(['event_type', 'host']).default('event_type'),
    /** The share of bookings that were missed. */
    above: z.number().min(0).max(1).default(0.3),
    /** Of fewer nothing is concluded. */
    of_at_least: z.int().min(1).default(5),
    within: duration('7d'),
  },
  async find({ by, above, of_at_least: least, within }, reading) {
    const rates = await reading.noShowRates(by, within);
    return rates
      .filter(({ ended, noShows }) => ended >= least && noShows / ended > above)
      .map(({ uri, ended, noShows }) => ({
        subject: uri,
        // A host is a person: only the URI is kept.
        message: `${noShows} of the last ${ended} bookings of ${by === 'host' ? 'one host' : 'one event type'} were missed.`,
      }));
  },
});
