// A booking is canceled shortly before it begins. A reschedule is a cancellation too, but nobody is let down by it.
import { z } from 'zod';
import { defineRule } from './rule.ts';

export const lateCancel = defineRule({
  when: 'late_cancel',
  title: 'Late cancellation',
  about: 'A booking was canceled shortly before it begins.',
  options: {
    hours: z.number().positive().max(720).default(24),
    by: z.enum(['invitee', 'host', 'anyone']).default('invitee'),
  },
  moments: () => ['canceled_at'],
  looksAt: 'event',
  find({ hours, by }, { invitee, event }) {
    const { status, canceled_at: canceledAt, canceler_type: canceler, rescheduled, new_invitee: next } = invitee;
    if (status !== 'canceled' || canceledAt === null || rescheduled === true || next !== null) return [];
    if (by !== 'anyone' && canceler !== by) return [];
    const start = event?.start_time ?? null;
    if (start === null) return [];
    const noticeMs = Date.parse(start) - Date.parse(canceledAt);
    if (noticeMs < 0 || noticeMs > hours * 3_600_000) return [];
    return [{ fact: `canceled ${canceledAt}`, occurredAt: canceledAt }];
  },
});
