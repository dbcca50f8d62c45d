// What it takes to book: an event type, a time and a person, and whatever they brought along.
import type { BookingRequest } from '#schemas/booking.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { StoredEventType } from './state.ts';

export interface BookingPlan {
  readonly eventType: StoredEventType;
  /** UTC with six fractional digits. May lie in the past: a world is seeded with meetings that were. */
  readonly startTime: string;
  /** With `name`, or with `first_name` and perhaps `last_name`. */
  readonly invitee: BookingRequest['invitee'];
  /** Of a kind the event type offers. */
  readonly location?: BookingRequest['location'];
  readonly answers?: InviteeResource['questions_and_answers'] | undefined;
  readonly tracking?: BookingRequest['tracking'];
  /** Addresses of people who come along. */
  readonly guests?: readonly string[] | undefined;
  /** The routing form submission that led here. */
  readonly submission?: string | null | undefined;
  readonly scheduledBy?: string | null | undefined;
  /** Null: on the hosted page. */
  readonly method: InviteeResource['scheduling_method'];
  /** The invitee this one takes the place of. */
  readonly replaces?: InviteeResource | undefined;
}
