// What a booking needs, and the record of the new invitee it creates.
import type { BookingRequest } from '#schemas/booking.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { trackingWith } from '#src/sandbox/world/fictional-people.ts';
import type { LocationChoice } from './locations.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';

export interface BookingPlan {
  readonly eventType: StoredEventType;
  /** UTC with six fractional digits. May be in the past: the seed contains past meetings. */
  readonly startTime: string;
  /** With `name`, or with `first_name` and perhaps `last_name`. */
  readonly invitee: BookingRequest['invitee'];
  /** Of a kind the event type offers. */
  readonly location?: LocationChoice | undefined;
  readonly answers?: InviteeResource['questions_and_answers'] | undefined;
  readonly tracking?: BookingRequest['tracking'];
  /** E-mail addresses of guests. */
  readonly guests?: readonly string[] | undefined;
  /** The routing form submission that led to the booking. */
  readonly submission?: string | null | undefined;
  readonly scheduledBy?: string | null | undefined;
  /** Null: on the hosted page. */
  readonly method: InviteeResource['scheduling_method'];
  /** The invitee this one replaces. */
  readonly replaces?: InviteeResource | undefined;
}

/** The record of the invitee for the meeting with this URI. */
export function newInvitee(service: Service, plan: BookingPlan, event: string): InviteeResource {
  const { invitee, replaces } = plan;
  const { baseUrl } = service.options;
  const id = service.random.uuid();
  const now = service.clock.tick();
  return {
    uri: `${event}/invitees/${id}`,
    email: invitee.email,
    ...namesOf(invitee),
    status: 'active',
    questions_and_answers: [...(plan.answers ?? [])],
    timezone: invitee.timezone,
    event,
    created_at: now,
    updated_at: now,
    tracking: trackingWith(plan.tracking),
    text_reminder_number: invitee.text_reminder_number ?? null,
    rescheduled: false,
    old_invitee: replaces?.uri ?? null,
    new_invitee: null,
    cancel_url: `${baseUrl}/cancellations/${id}`,
    reschedule_url: `${baseUrl}/reschedulings/${id}`,
    routing_form_submission: plan.submission ?? null,
    // A rescheduled meeting has already been paid for.
    payment: replaces === undefined ? paymentFor(service, plan.eventType) : replaces.payment,
    no_show: null,
    reconfirmation: plan.eventType.reconfirms ? { created_at: now, confirmed_at: null } : null,
    scheduling_method: plan.method,
    invitee_scheduled_by: plan.scheduledBy ?? null,
  };
}

/** A full name, or one joined from its parts; a full name has no parts. */
export function namesOf({
  name,
  first_name,
  last_name,
}: BookingPlan['invitee']): Pick<InviteeResource, 'name' | 'first_name' | 'last_name'> {
  const joined = [first_name, last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return { first_name: first_name ?? null, last_name: last_name ?? null, name: name ?? joined };
}

function paymentFor({ random }: Service, { price }: StoredEventType): InviteeResource['payment'] {
  if (price === null) return null;
  return {
    external_id: `ch_${random.uuid().replaceAll('-', '').slice(0, 24)}`,
    provider: random.pick(['stripe', 'paypal']),
    amount: price,
    currency: 'EUR',
    terms: 'Refundable until one day before the meeting.',
    successful: true,
  };
}
