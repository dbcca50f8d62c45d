// One moment of a timeline, before the log entry that reports it is known.
import type { Json } from '#src/store/columns.ts';

/** Of moments at the same time, in this order. */
export const momentKinds = [
  'contact_created',
  'contact_changed',
  'contact_deleted',
  'contact_reported',
  'form_submitted',
  'booked',
  'moved',
  'canceled',
  'meeting',
  'ended',
  'no_show',
  'no_show_removed',
  'came',
  'recap',
  'recap_deleted',
  'confirmation_requested',
  'reconfirmed',
  'alert_pending',
  'alert_sent',
  'alert_failed',
] as const;

export interface Moment {
  readonly kind: (typeof momentKinds)[number];
  /** Unique within a timeline. */
  readonly id: string;
  readonly at: string;
  readonly sentence: string;
  /** The URI of the contact, the invitee, the recap or the submission. */
  readonly subject: string;
  /** Of the meeting of its booking. */
  readonly meetingStart?: string | null;
  /** The log entry that reports it; where it is not known yet, how to recognize it. */
  readonly seq?: number;
  readonly origin?: Origin;
}

/** The log entry about the subject that changed this column so; else the first one with this event. */
export interface Origin {
  /** Where it is another record than that of the moment. */
  readonly subject?: string;
  readonly table: 'invitees' | 'meeting_recaps' | 'routing_form_submissions';
  readonly column: string;
  readonly event: string;
  readonly isChange: (before: Json, after: Json) => boolean;
}
