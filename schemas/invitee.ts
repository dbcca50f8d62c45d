// An invitee (one person's place in a booking) with the scheduled event its deliveries embed.
import { z } from 'zod';
import { asSent, type EventContract } from './event.ts';
import { limits } from './limits.ts';
import { tracking } from './tracking.ts';
import { amount, flag, integer, loosely, moment, text, uri } from './wire.ts';

export const inviteeStatuses = ['active', 'canceled'] as const;
export const paymentProviders = ['stripe', 'paypal'] as const;
export const paymentCurrencies = ['AUD', 'CAD', 'EUR', 'GBP', 'USD'] as const;
export const schedulingMethods = ['instant_book', 'api'] as const;
export const cancelerTypes = ['host', 'invitee'] as const;

// Enums are read as plain strings: a value added by the service must not quarantine a booking.
export const cancellation = z.looseObject({ canceled_by: text, reason: text, canceler_type: text, created_at: moment });

const location = z.looseObject({ join_url: text });

const membership = z.looseObject({ user: text, user_email: text, user_name: text });
const guest = z.looseObject({ email: text, created_at: moment, updated_at: moment });
const counter = z.looseObject({ total: z.nullish(integer), active: z.nullish(integer), limit: z.nullish(integer) });

export const scheduledEvent = z.looseObject({
  uri,
  name: text,
  meeting_notes_plain: text,
  meeting_notes_html: text,
  status: text,
  start_time: moment,
  end_time: moment,
  event_type: text,
  location: loosely(location),
  invitees_counter: loosely(counter),
  created_at: moment,
  updated_at: moment,
  event_memberships: loosely(z.array(membership)),
  event_guests: loosely(z.array(guest)),
  cancellation: loosely(cancellation),
});

const answer = z.looseObject({ question: text, answer: text, position: z.nullish(integer) });

const payment = z.looseObject({
  external_id: text,
  provider: text,
  amount: z.nullish(amount),
  currency: text,
  terms: text,
  successful: flag,
});

export const invitee = z.looseObject({
  uri,
  email: text,
  first_name: text,
  last_name: text,
  name: text,
  status: text,
  questions_and_answers: z.nullish(z.array(answer)),
  timezone: text,
  event: z.nullish(uri),
  created_at: moment,
  updated_at: moment,
  tracking: z.nullish(tracking),
  text_reminder_number: text,
  rescheduled: flag,
  old_invitee: text,
  new_invitee: text,
  cancel_url: text,
  reschedule_url: text,
  routing_form_submission: text,
  payment: z.nullish(payment),
  no_show: z.nullish(z.looseObject({ uri: z.nullish(uri), created_at: moment })),
  reconfirmation: z.nullish(z.looseObject({ created_at: moment, confirmed_at: moment })),
  scheduling_method: text,
  invitee_scheduled_by: text,
  cancellation: z.nullish(cancellation),
  /** Bodies of 2020–2022 say it this way. */
  canceled: flag,
  scheduled_event: z.nullish(scheduledEvent),
});

/**
 * A no-show mark as POST and DELETE /invitee_no_shows leave it. The URI is that of the invitee, as in the deliveries about a mark.
 * `deleted_at`: the mark was removed.
 */
export const inviteeNoShow = z.looseObject({
  uri,
  no_show: z.looseObject({ uri, created_at: moment }),
  deleted_at: moment,
});

export type Invitee = z.output<typeof invitee>;
export type ScheduledEvent = z.output<typeof scheduledEvent>;

const contract = {
  family: 'invitee',
  allowedScopes: ['organization', 'user', 'group'],
  requiredCallerScope: 'scheduled_events:read',
  inRequestEnum: true,
  unwrap: asSent,
  schema: invitee,
  notes: ({ payment }: Invitee) =>
    (payment?.terms?.length ?? 0) > limits.paymentTermsCharacters
      ? ['payment.terms: longer than 1,024 characters']
      : [],
} as const satisfies EventContract<Invitee>;

export const inviteeEvents = {
  'invitee.created': contract,
  'invitee.canceled': contract,
  'invitee_no_show.created': contract,
  'invitee_no_show.deleted': contract,
} as const;
