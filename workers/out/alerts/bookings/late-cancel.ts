// A booking is canceled shortly before it begins. A reschedule cancels the old booking too, but does not count.
import { z } from 'zod';
import { cancellationFindings, defineRule } from '#workers/out/alerts/rules/rule.ts';

export const lateCancel = defineRule({
  when: 'late_cancel',
  title: 'Late cancellation',
  about: 'A booking was canceled shortly before it begins.',
  page: '/bookings?status=canceled',
  options: {
    hours: z.number().positive().max(720).default(24),
    by: z.enum(['invitee', 'host', 'anyone']).default('invitee'),
  },
  factTimes: () => ['canceled_at'],
  find({ hours, by }, context) {
    const { invitee, event } = context;
    if (by !== 'anyone' && invitee.canceler_type !== by) return [];
    const startMs = Date.parse(event?.start_time ?? '');
    return cancellationFindings(context).filter(({ occurredAt }) => {
      const noticeMs = startMs - Date.parse(occurredAt);
      return noticeMs >= 0 && noticeMs <= hours * 3_600_000;
    });
  },
});
