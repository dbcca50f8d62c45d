// An invitee is marked as a no-show.
import { defineRule, ownMark } from './rule.ts';

export const noShow = defineRule({
  when: 'no_show',
  title: 'No-show',
  about: 'An invitee did not show up.',
  options: {},
  moments: () => ['no_show_at'],
  find(_options, known) {
    const mark = ownMark(known);
    return mark === undefined ? [] : [{ fact: mark.noShowUri, occurredAt: mark.markedAt }];
  },
});
