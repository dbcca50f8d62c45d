// A booking is canceled shortly before it begins, or after that. A reschedule cancels the old booking too, but does not count.
import { z } from 'zod';
import { cancellationFindings, defineRule } from '#workers/out/alerts/rules/rule.ts';

export const lateCancel = defineRule({
  when: 'late_cancel',
  title: 'Late cancellation',
  about: 'A booking was canceled shortly before it begins, or after that.',
  page: '/bookings?status=canceled',
  options: {
    hours: z.number().positive().max(720).default(24),
    by: z.enum(['invitee', 'host', 'anyone']).default('invitee'),
  },
  factTimes: () => ['canceled_at'],
  find({ hours, by }, context) {
    const { canceler_type: canceler = null, cancel_notice_seconds: notice = null } = context.booking ?? {};
    const isLate = notice !== null && notice < hours * 3_600;
    return isLate && (by === 'anyone' || canceler === by) ? cancellationFindings(context) : [];
  },
});
