// A new invitee, field by field.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { BookingPlan } from './booking-plan.ts';
import type { Service } from './service.ts';
import type { StoredEventType } from './state.ts';
import { trackingWith } from './fictional-people.ts';

/** The record of the plan's invitee on the meeting of this URI. */
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
    // Who moves a meeting has paid for it already.
    payment: replaces === undefined ? paymentFor(service, plan.eventType) : replaces.payment,
    no_show: null,
    reconfirmation: plan.eventType.reconfirms ? { created_at: now, confirmed_at: null } : null,
    scheduling_method: plan.method,
    invitee_scheduled_by: plan.scheduledBy ?? null,
  };
}

/** One name, or one in two parts: who gives the whole has no parts. */
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
