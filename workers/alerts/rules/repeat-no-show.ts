// One person did not show up several times.
import { z } from 'zod';
import { duration } from '#src/config/readers.ts';
import { defineRule, ownMark } from './rule.ts';

export const repeatNoShow = defineRule({
  when: 'repeat_no_show',
  title: 'No-show again',
  about: 'Somebody did not show up again and again.',
  options: { times: z.int().min(2).max(100).default(2), within: duration('90d') },
  moments: () => ['no_show_at'],
  looksAt: 'marks',
  find({ times, within }, known) {
    const mark = ownMark(known);
    if (mark === undefined) return [];
    // Up to this mark, not around it: what comes later cannot make an earlier one count.
    const since = Date.parse(mark.markedAt) - within;
    const before = known.marks.filter(({ markedAt }) => markedAt <= mark.markedAt && Date.parse(markedAt) > since);
    return before.length < times ? [] : [{ fact: mark.noShowUri, occurredAt: mark.markedAt }];
  },
});
