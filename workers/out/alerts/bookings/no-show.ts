// Rules about invitees who are marked as no-shows: every time, or from the second time on.
import { z } from 'zod';
import { duration } from '#src/config/readers.ts';
import { defineRule, noShowFindings, ownMark } from '#workers/out/alerts/rules/rule.ts';
import { noShowsUpTo } from '#src/read/bookings/booking-context.ts';

export const noShow = defineRule({
  when: 'no_show',
  title: 'No-show',
  about: 'An invitee did not show up.',
  page: '/no-shows',
  options: {},
  factTimes: () => ['no_show_at'],
  find: (_options, context) => noShowFindings(context),
});

export const repeatNoShow = defineRule({
  when: 'repeat_no_show',
  title: 'No-show again',
  about: 'The same person did not show up several times.',
  page: '/no-shows',
  options: { times: z.int().min(2).max(100).default(2), within: duration('90d') },
  factTimes: () => ['no_show_at'],
  noShowWindowMs: ({ within }) => within,
  reads: 'marks',
  find({ times, within }, context) {
    const mark = ownMark(context);
    return mark === undefined || noShowsUpTo(mark, context, within) < times ? [] : noShowFindings(context);
  },
});
