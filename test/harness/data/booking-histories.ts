// Random bookings that are moved, canceled, missed and paid in every way, also in ways that make no sense: links to invitees
// that were never delivered, in circles, and two by two.
import fc, { type Arbitrary } from 'fast-check';
import { numbered, observedAt } from './alert-histories.ts';
import type { Observation } from './delivery-histories.ts';
import { about, type Payload } from './payloads.ts';

const base = 'https://api.example.test';
const orNull = <Value>(value: Arbitrary<Value>) => fc.option(value, { freq: 3 });

const invitees = numbered('invitees', 8);
const events = numbered('scheduled_events', 5);
const eventTypes = numbered('event_types', 2);
const users = numbered('users', 3);
const forms = numbered('routing_forms', 2);
const submissions = numbered('routing_form_submissions', 4);

const contacts = numbered('contacts', 3);
const address = fc.constantFrom('ada@example.test', 'ADA@example.test', 'Ädä@example.test', 'ben@example.test');

/** Far ahead of UTC and far behind, by half hours, in another case, and none at all. */
const zone = fc.constantFrom('Europe/Berlin', 'pacific/KIRITIMATI', 'America/St_Johns', 'Asia/Calcutta', 'GMT+2', '');

/** Around changes of clocks: of Berlin and Lisbon on 30 March, of Lord Howe Island on 5 April. */
const past = fc
  .record({
    day: fc.constantFrom('03-29', '03-30', '03-31', '04-05', '04-06'),
    hour: fc.constantFrom('00', '09', '23'),
    second: fc.nat(2),
    fraction: fc.constantFrom('000000', '999999'),
  })
  .map(({ day, hour, second, fraction }) => `2025-${day}T${hour}:59:5${second}.${fraction}Z`);
const future = fc.constant('2190-01-01T10:00:00.000000Z');
const start = fc.oneof({ weight: 4, arbitrary: past }, { weight: 1, arbitrary: future });
const cancellation = fc.record(
  {
    canceler_type: orNull(fc.constantFrom('host', 'invitee', 'robot')),
    created_at: orNull(past),
    reason: orNull(fc.constantFrom('', 'ill')),
  },
  { requiredKeys: [] },
);
const host = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ user: fc.constantFrom(...users), user_name: orNull(fc.constantFrom('Ada', 'Žofie')) }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 'unknown', 5, { user: 5 }, ['x']) },
);

const event: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...events),
  name: orNull(fc.constantFrom('Talk', 'Žvanění')),
  status: fc.constantFrom('active', 'active', 'canceled'),
  start_time: orNull(start),
  end_time: orNull(start),
  event_type: orNull(fc.constantFrom(...eventTypes)),
  event_memberships: fc.array(host, { maxLength: 3 }),
  event_guests: fc.array(fc.oneof(fc.record({ email: orNull(address) }), fc.constantFrom(null, 'unknown')), {
    maxLength: 2,
  }),
  location: orNull(fc.constantFrom({ type: 'zoom' }, { type: 5 }, { join_url: 'x' }, 'unknown')),
  cancellation: orNull(cancellation),
  updated_at: past,
});

const tag = orNull(fc.constantFrom('', 'mail', 'web'));
const payment = fc.record({
  external_id: orNull(fc.constantFrom('', 'ch_1', 'ch_2')),
  provider: orNull(fc.constantFrom('stripe', 'paypal')),
  currency: orNull(fc.constantFrom('EUR', 'USD')),
  amount: fc.constantFrom(12.5, 0.1, 0.2, '19.99', 1e300),
  successful: fc.boolean(),
});

const link = fc.constantFrom(...invitees, '', `${base}/invitees/unseen`);

const invitee: Arbitrary<Payload> = fc
  .record({
    uri: fc.constantFrom(...invitees),
    email: orNull(address),
    timezone: orNull(zone),
    scheduling_method: orNull(fc.constantFrom('instant_book', 'api')),
    name: orNull(fc.constantFrom('Ada', 'Žofie ')),
    status: fc.constantFrom('active', 'active', 'canceled'),
    rescheduled: fc.boolean(),
    old_invitee: orNull(link),
    new_invitee: orNull(link),
    created_at: orNull(past),
    updated_at: past,
    tracking: fc.record({ utm_source: tag, utm_medium: tag, utm_campaign: tag, utm_content: tag, utm_term: tag }),
    payment: orNull(payment),
    no_show: orNull(fc.record({ uri: fc.constant(`${base}/invitee_no_shows/1`), created_at: past })),
    cancellation: orNull(cancellation),
    routing_form_submission: orNull(fc.constantFrom(...submissions)),
    scheduled_event: orNull(event),
  })
  .map((sent) => ({ ...sent, event: sent.scheduled_event?.['uri'] ?? events[0] }));

const question = fc.constantFrom('Name', ' your NAME ', 'Names', 'E-mail', '');
const answered = fc.record({
  question_uuid: orNull(fc.constantFrom('1', '2')),
  question,
  answer: orNull(
    fc.oneof(address, fc.constantFrom('Ada', ' BEN@example.test ', 'at @ home', 'a@b@c', '@', 'x@', '', '  ')),
  ),
});
const submission: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...submissions),
  routing_form: orNull(fc.constantFrom(...forms)),
  result: orNull(
    fc.record({
      type: fc.constantFrom('event_type', 'event_type', 'event_type', 'external_url', 'custom_message', 'other'),
      value: fc.oneof(fc.constantFrom(...eventTypes), fc.constantFrom(null, 5, { headline: 'x' })),
    }),
  ),
  questions_and_answers: orNull(fc.array(answered, { maxLength: 4 })),
  submitter: orNull(fc.constantFrom(...invitees)),
  submitter_type: orNull(fc.constant('Invitee')),
  tracking: orNull(fc.record({ utm_source: tag, utm_campaign: tag })),
  created_at: orNull(past),
});
const asked = fc.record({
  uuid: orNull(fc.constantFrom('1', '2')),
  name: question,
  type: orNull(fc.constantFrom('name', 'email')),
});
const form: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...forms),
  name: orNull(fc.constantFrom('Alpha', 'Žeta')),
  questions: fc.oneof(fc.array(asked, { maxLength: 3 }), fc.constantFrom(null, 'unknown', [5, null])),
  updated_at: past,
});
const contact: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...contacts),
  emails: fc.array(fc.record({ email: address, is_primary: fc.boolean() }), { maxLength: 3 }),
  updated_at: past,
});
const named = (uris: readonly string[]): Arbitrary<Payload> =>
  fc.record({ uri: fc.constantFrom(...uris), name: orNull(fc.constantFrom('Alpha', 'Žeta')), updated_at: past });
const user: Arbitrary<Payload> = fc
  .tuple(named(users), fc.record({ timezone: orNull(zone) }, { requiredKeys: [] }))
  .map(([payload, zoned]) => ({ ...payload, ...zoned }));

const { sent, read } = observedAt(past);

const recaps = numbered('meeting_recaps', 2);
const person = fc.constantFrom('Ada', ' ada ', 'ADA@example.test', 'ben@example.test', 'Žofie', '', null);
const attendee = fc.oneof(
  { weight: 6, arbitrary: fc.record({ host: fc.boolean(), user_email: person, user_name: person }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 'unknown', 5, {}, { host: 'true' }) },
);
const hostsOnly = fc.array(fc.constantFrom({ host: true, user_email: 'ben@example.test', user_name: 'Žofie' }), {
  maxLength: 2,
});
const recap: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...recaps),
  event: orNull(
    fc.record({
      uri: orNull(fc.constantFrom(...events.slice(0, 2))),
      attendees: orNull(fc.oneof(hostsOnly, fc.array(attendee, { maxLength: 3 }), fc.constant('unknown'))),
    }),
  ),
  created_at: past,
});
const transcript: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...recaps),
  speakers: fc.oneof(fc.array(fc.oneof(person, fc.constant(5)), { maxLength: 2 }), fc.constant('unknown')),
});

const attended = fc.tuple(invitee, fc.nat(3)).map(([payload, n]) => ({
  ...payload,
  ...{ status: 'active', rescheduled: false, old_invitee: null, new_invitee: null },
  no_show: n === 0 ? payload['no_show'] : null,
  event: events[0],
  scheduled_event: { uri: events[0], start_time: '2025-01-06T09:00:00Z' },
}));
const recapOfIt = recap.map((payload) => ({ ...payload, event: { ...Object(payload['event']), uri: events[0] } }));

/** Meetings that took place, and what recaps and transcripts say of who came, in no order. */
export const attendedHistory: Arbitrary<Observation[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: sent(['invitee.created'], attended) },
    { weight: 3, arbitrary: sent(['meeting_recap.created'], recapOfIt) },
    { weight: 2, arbitrary: read('meeting_recap_transcript.read', transcript) },
    { weight: 1, arbitrary: sent(['meeting_recap.deleted'], about(recaps)) },
    { weight: 1, arbitrary: sent(['invitee.canceled'], about(invitees)) },
  ),
  { minLength: 3, maxLength: 14 },
);

export const bookingHistory: Arbitrary<Observation[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: sent(['invitee.created'], invitee) },
    { weight: 2, arbitrary: sent(['routing_form_submission.created'], submission) },
    { weight: 2, arbitrary: sent(['contact.created'], contact) },
    { weight: 4, arbitrary: sent(['meeting_recap.created'], recap) },
    { weight: 3, arbitrary: read('meeting_recap_transcript.read', transcript) },
    { weight: 1, arbitrary: sent(['meeting_recap.deleted'], about(recaps)) },
    { weight: 1, arbitrary: sent(['event_type.created'], named(eventTypes)) },
    { weight: 2, arbitrary: read('user.read', user) },
    { weight: 1, arbitrary: read('routing_form.read', form) },
  ),
  { minLength: 1, maxLength: 18 },
);

/** Forms, submissions and bookings by the same few addresses, in no order. */
export const submittedHistory: Arbitrary<Observation[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: sent(['routing_form_submission.created'], submission) },
    { weight: 2, arbitrary: read('routing_form_submission.read', submission) },
    { weight: 4, arbitrary: sent(['invitee.created'], invitee) },
    { weight: 1, arbitrary: sent(['event_type.created'], named(eventTypes)) },
    { weight: 2, arbitrary: read('routing_form.read', form) },
  ),
  { minLength: 1, maxLength: 14 },
);
