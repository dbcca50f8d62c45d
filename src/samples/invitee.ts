// A booking: one person on one meeting, and what can happen to it (canceled, rescheduled, marked and unmarked no-show).
import type { Person } from './person.ts';
import type { Random } from './random.ts';
import { pagesUrl, serviceUrl, wireTime } from './sample.ts';
import type { JsonRecord } from './sample.ts';
import { meetingRecord } from './scheduled-event.ts';
import type { Meeting } from './scheduled-event.ts';
import type { World } from './sample-organization.ts';
import { trackingOf } from './tracking.ts';

export interface Booking {
  readonly uri: string;
  readonly person: Person;
  readonly meeting: Meeting;
  readonly createdMs: number;
  readonly fixed: JsonRecord;
  readonly oldInvitee: string | null;
  updatedMs: number;
  newInvitee: string | null;
  cancellation: JsonRecord | undefined;
  noShow: JsonRecord | null;
}

export interface BookingPlan {
  readonly person: Person;
  readonly meeting: Meeting;
  readonly createdMs: number;
  readonly replaces?: Booking;
  readonly submission?: string;
}

export function makeBooking(
  random: Random,
  { person, meeting, createdMs, replaces, submission }: BookingPlan,
): Booking {
  meeting.total += 1;
  meeting.active += 1;
  const id = random.uuid();
  return {
    uri: `${meeting.uri}/invitees/${id}`,
    person,
    meeting,
    createdMs,
    oldInvitee: replaces?.uri ?? null,
    updatedMs: createdMs,
    newInvitee: null,
    cancellation: undefined,
    noShow: null,
    fixed: {
      questions_and_answers: answersOf(random),
      tracking: trackingOf(random),
      text_reminder_number: random.chance(0.3) ? person.phone : null,
      cancel_url: `${pagesUrl}/cancellations/${id}`,
      reschedule_url: `${pagesUrl}/reschedulings/${id}`,
      routing_form_submission: submission ?? null,
      payment: paymentOf(random, meeting),
      reconfirmation: null,
      scheduling_method: random.pick([null, null, 'instant_book', 'api']),
      invitee_scheduled_by: null,
    },
  };
}

function answersOf(random: Random): readonly JsonRecord[] {
  const topic = {
    question: 'What would you like to talk about?',
    answer: random.pick(['Pricing', 'A migration', 'Reporting\nBilling']),
    position: 0,
  };
  // Positions have gaps and questions keep their trailing spaces, as in life.
  const size = { question: 'Team size ', answer: String(random.int(2, 400)), position: 2 };
  return random.chance(0.6) ? [topic, size] : [topic];
}

function paymentOf(random: Random, { offer }: Meeting): JsonRecord | null {
  if (offer.price === null) return null;
  return {
    external_id: `ch_${random.uuid().slice(0, 18)}`,
    provider: 'stripe',
    amount: offer.price,
    currency: 'EUR',
    terms: 'Refundable until one day before.',
    successful: true,
  };
}

export function inviteeRecord(world: World, booking: Booking): JsonRecord {
  const { person, meeting, cancellation } = booking;
  return {
    uri: booking.uri,
    email: person.email,
    first_name: person.firstName,
    last_name: person.lastName,
    name: person.name,
    status: cancellation === undefined ? 'active' : 'canceled',
    timezone: person.place.timezone,
    event: meeting.uri,
    created_at: wireTime(booking.createdMs),
    updated_at: wireTime(booking.updatedMs),
    rescheduled: booking.newInvitee !== null,
    old_invitee: booking.oldInvitee,
    new_invitee: booking.newInvitee,
    no_show: booking.noShow,
    ...booking.fixed,
    ...(cancellation === undefined ? {} : { cancellation }),
    scheduled_event: meetingRecord(world, meeting),
  };
}

export function cancelBooking(random: Random, booking: Booking, atMs: number): void {
  const { meeting, person } = booking;
  const byHost = random.chance(0.25);
  booking.updatedMs = atMs;
  booking.cancellation = {
    canceled_by: byHost ? meeting.offer.host.name : person.name,
    reason: random.pick(['', null, 'Something came up', 'We found another time']),
    canceler_type: byHost ? 'host' : 'invitee',
    created_at: wireTime(atMs),
  };
  meeting.updatedMs = atMs;
  meeting.active -= 1;
  // A group meeting goes on when one of its guests cancels.
  if (meeting.offer.kind === 'solo') meeting.status = 'canceled';
}

/** Marking does not move the booking's own `updated_at` (A4): the envelope's time orders marks. */
export function markNoShow(random: Random, booking: Booking, atMs: number): void {
  booking.noShow = { uri: `${serviceUrl}/invitee_no_shows/${random.uuid()}`, created_at: wireTime(atMs) };
}

export function unmarkNoShow(booking: Booking): void {
  booking.noShow = null;
}
