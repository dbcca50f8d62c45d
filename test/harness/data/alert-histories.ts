// Random histories with many no-shows, cancellations and reschedules of a few people who write their addresses in several ways, and with
// submissions of a routing form that bookings refer to, or refer to no more.
import fc, { type Arbitrary } from 'fast-check';
import type { Observation } from './delivery-histories.ts';
import { about, type Payload } from './payloads.ts';

const base = 'https://api.example.test';
export const numbered = (kind: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${base}/${kind}/${n}`);
const invitees = numbered('invitees', 3);
const events = numbered('scheduled_events', 2);
const contacts = numbered('contacts', 2);
const submissions = numbered('routing_form_submissions', 3);
const form = `${base}/routing_forms/1`;
const recaps = numbered('meeting_recaps', 3);
const tier = `${base}/contact_custom_fields/1`;
const orNull = <Value>(value: Arbitrary<Value>) => fc.option(value, { freq: 4 });
const rarely = <Value>(value: Arbitrary<Value>, usual: Value) =>
  fc.oneof({ weight: 19, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

/** When a rule of the tests was first loaded: before all facts, or among them. */
export const firstLoads: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.nat(4).map((day) => at(day, 1)) },
);

/** The current time of the tests: after all of these events. */
export const lookedBackMs = Date.UTC(2025, 0, 6, 12);

const days = fc.nat(4);
const at = (day: number, second = 0) => `2025-01-0${day + 1}T09:00:0${second}.000000Z`;
const moment = fc.tuple(days, fc.nat(2)).map(([day, second]) => at(day, second));
const addresses = fc.constantFrom('ada@example.test', 'ada@example.test', 'Ada@Example.test', 'ŽOFIE@other.test');

const event: Arbitrary<Payload> = fc.record({
  uri: fc.constantFrom(...events),
  name: fc.constantFrom('Talk', 'Demo'),
  status: rarely(fc.constant('canceled'), 'active'),
  start_time: orNull(days.map((day) => at(day, 5))),
  event_memberships: fc.constantFrom([], [{ user: `${base}/users/1`, user_name: 'Host' }]),
  updated_at: moment,
});

const attendee = (host: boolean, user_email: string) => ({ host, user_email, user_name: null });
const theHost = attendee(true, 'host@example.test');
/** Recaps of meetings with the host alone, with the invitee, or with another person. */
const recap: Arbitrary<Payload> = fc.record(
  {
    uri: fc.constantFrom(...recaps),
    event: fc.record({
      uri: fc.constantFrom(...events),
      attendees: fc.constantFrom(
        [theHost],
        [theHost],
        [theHost, attendee(false, 'ADA@example.test')],
        [theHost, attendee(false, 'ben@example.test')],
        [],
      ),
    }),
    created_at: moment,
  },
  { requiredKeys: ['uri', 'created_at'] },
);
const transcript = fc.record({
  uri: fc.constantFrom(...recaps),
  speakers: fc.constantFrom(['host@example.test'], ['host@example.test', 'Ada'], []),
});

/** A mark was made at one moment, whichever fact reports it. */
const mark = fc.nat(5).map((n) => ({ uri: `${base}/invitee_no_shows/${n}`, created_at: at(2 + (n % 3), 1) }));

const person = {
  uri: fc.constantFrom(...invitees),
  email: fc.oneof({ weight: 9, arbitrary: addresses }, { weight: 1, arbitrary: fc.constant(null) }),
  name: fc.constant('Ada'),
  status: rarely(fc.constant('canceled'), 'active'),
  rescheduled: rarely(fc.constant(true), false),
  old_invitee: rarely<string | null>(fc.constantFrom(...invitees), null),
  new_invitee: rarely<string | null>(fc.constantFrom(...invitees), null),
  created_at: moment,
  updated_at: moment,
  tracking: fc.record({ utm_source: orNull(fc.constantFrom('mail', 'web')) }),
  no_show: orNull(mark),
  cancellation: orNull(fc.record({ canceler_type: fc.constantFrom('host', 'invitee'), created_at: moment })),
  scheduled_event: event,
  routing_form_submission: orNull(fc.constantFrom(...submissions)),
};
const invitee: Arbitrary<Payload> = fc
  .oneof(fc.record(person), fc.record(person, { requiredKeys: ['uri', 'updated_at'] }))
  .map((sent) => ({ ...sent, ...(sent.scheduled_event && { event: sent.scheduled_event['uri'] }) }));

const inviteeRecord = invitee.map(({ scheduled_event: _none, ...record }) => record);

const contact: Arbitrary<Payload> = fc.record(
  {
    uri: fc.constantFrom(...contacts),
    emails: fc
      .uniqueArray(addresses, { maxLength: 2 })
      .chain((list) => fc.nat(1).map((first) => list.map((email, index) => ({ email, is_primary: index === first })))),
    company: fc.constantFrom('Acme', 'acme', 'Other', null),
    custom_fields: fc.oneof(
      fc.constant([]),
      fc.constantFrom('gold', 'u-gold', 'u-gold', 'u-other').map((value) => [{ uri: tier, label: 'Tier', value }]),
    ),
    updated_at: moment,
  },
  { requiredKeys: ['uri', 'updated_at'] },
);

/** A custom field that is renamed, and whose options are renamed. */
const definition: Arbitrary<Payload> = fc.record(
  {
    uri: fc.constant(tier),
    label: fc.constantFrom('Tier', 'Tier', 'Level'),
    options: fc.constantFrom(null, [{ uuid: 'u-gold', label: 'Gold' }], [{ uuid: 'u-gold', label: 'Silver' }]),
    updated_at: moment,
  },
  { requiredKeys: ['uri', 'updated_at'] },
);

const submission: Arbitrary<Payload> = fc.record(
  {
    uri: fc.constantFrom(...submissions),
    routing_form: fc.constant(form),
    questions_and_answers: fc
      .tuple(fc.constantFrom('Sales', 'sales', 'Support'), orNull(addresses))
      .map(([topic, email]) => [
        { question_uuid: 'q', question: 'Topic', answer: topic },
        ...(email === null ? [] : [{ question_uuid: 'e', question: 'E-mail', answer: email }]),
      ]),
    tracking: fc.record({ utm_source: orNull(fc.constantFrom('mail', 'web')) }),
    result: rarely(fc.constant({ type: 'custom_message', value: 'Thanks' }), { type: 'event_type', value: base }),
    created_at: moment,
    updated_at: moment,
  },
  { requiredKeys: ['uri', 'updated_at', 'created_at', 'result'] },
);

/** A form that is renamed. */
const routingForm: Arbitrary<Payload> = fc.record({
  uri: fc.constant(form),
  name: fc.constantFrom('Contact', 'Enterprise'),
  updated_at: moment,
});

/** Facts that happen at these times, as they are sent and as they are read. */
export const observedAt = (created_at: Arbitrary<string>) => ({
  sent: (kinds: readonly string[], payload: Arbitrary<Payload>): Arbitrary<Observation> =>
    fc.record({ event: fc.constantFrom(...kinds), payload, created_at }).map((envelope) => ({
      fact: { ...envelope, sound: true },
      body: JSON.stringify(envelope),
    })),
  read: (kind: string, payload: Arbitrary<Payload>): Arbitrary<Observation> =>
    fc.record({ payload, created_at }).map((fact) => ({ fact: { event: kind, ...fact, sound: true }, body: null })),
});
const { sent, read } = observedAt(moment);

const observation = fc.oneof(
  { weight: 2, arbitrary: sent(['invitee.created', 'invitee.canceled'], invitee) },
  { weight: 9, arbitrary: sent(['invitee_no_show.created'], fc.record({ ...person, no_show: mark })) },
  { weight: 2, arbitrary: sent(['invitee_no_show.deleted'], invitee) },
  { weight: 2, arbitrary: read('invitee.read', inviteeRecord) },
  { weight: 1, arbitrary: read('scheduled_event.read', event) },
  { weight: 4, arbitrary: sent(['contact.created', 'contact.updated'], contact) },
  { weight: 1, arbitrary: read('contact.read', contact) },
  { weight: 3, arbitrary: read('custom_field_definition.read', definition) },
  { weight: 6, arbitrary: sent(['meeting_recap.created', 'meeting_recap.updated'], recap) },
  { weight: 1, arbitrary: read('meeting_recap_transcript.read', transcript) },
  { weight: 1, arbitrary: sent(['meeting_recap.deleted'], about(recaps)) },
  { weight: 5, arbitrary: sent(['routing_form_submission.created'], submission) },
  { weight: 1, arbitrary: read('routing_form_submission.read', submission) },
  { weight: 2, arbitrary: read('routing_form.read', routingForm) },
  { weight: 1, arbitrary: sent(['contact.deleted'], about(contacts)) },
  { weight: 1, arbitrary: read('contact.gone', about(contacts)) },
);

export const alertHistory: Arbitrary<Observation[]> = fc.array(observation, {
  minLength: 4,
  maxLength: 28,
  size: 'max',
});
