// One world for everything that is read: bookings that can be counted, people with several addresses, recaps, forms, alerts, subscriptions
// and deliveries that could not be applied. Nothing in it depends on the day.
import { insertAlerts, readAlerts, type NewAlert } from '#src/store/alerts/alert-rows.ts';
import { markFailed, markSent } from '#src/store/alerts/send-results.ts';
import type { Store } from '#src/store/contract.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { ingestBodies, ingestRead } from '../stores.ts';
import { delivery, ingestCountedBookings, january, uri } from './counted-bookings.ts';

/** A mark of a no-show, or its removal. */
const mark = (invitee: string, id: string | null, at: string): string =>
  delivery(`invitee_no_show.${id ? 'created' : 'deleted'}`, at, {
    uri: uri('invitees', invitee),
    no_show: id && { uri: uri('no_shows', id), created_at: at },
    updated_at: at,
  });

/** The first address is the primary one. */
const contact = (id: string, at: string, addresses: readonly string[], more: object = {}): string => {
  const emails = addresses.map((email, index) => ({ email, is_primary: index === 0 }));
  const created_at = 'company' in more ? january(1) : at;
  const payload = { uri: uri('contacts', id), name: `Name of ${id}`, emails, created_at, updated_at: at, ...more };
  const event = 'deleted_at' in more ? 'deleted' : 'company' in more ? 'updated' : 'created';
  return delivery(`contact.${event}`, at, payload);
};

const booking = (id: string, at: string, email: string, more: object = {}): string =>
  delivery('invitee.created', at, {
    uri: uri('invitees', id),
    event: uri('events', id),
    email,
    name: `Booker of ${id}`,
    status: 'active',
    created_at: at,
    updated_at: at,
    tracking: { utm_campaign: `campaign ${id}` },
    scheduled_event: { uri: uri('events', id), name: `Talk ${id}`, status: 'active', start_time: at, end_time: at },
    ...more,
  });

const movedTo = (id: string | null) => ({
  status: 'canceled',
  rescheduled: true,
  new_invitee: id && uri('invitees', id),
});

const recap = (id: string, at: string, more: object = {}): string =>
  delivery('meeting_recap.created', at, {
    uri: uri('meeting_recaps', id),
    summary_md: `## Summary\nAgreed on **two** things in ${id}.\n\n- one\n- two`,
    action_items_md: '- Call **back**',
    created_at: at,
    event: { uri: uri('events', id), name: `Talk ${id}`, start_time: at, end_time: at },
    ...more,
  });

const submission = (id: string, result: object, questions_and_answers: readonly object[] = []): string =>
  delivery('routing_form_submission.created', january(9), {
    uri: uri('routing_form_submissions', id),
    routing_form: uri('forms', 'sales'),
    created_at: january(9),
    tracking: { utm_source: 'mail' },
    questions_and_answers,
    result,
  });
const intro = { type: 'event_type', value: uri('event_types', 'intro') };
const answersOf = (name: string, email: string) => [
  { question: 'Name', answer: name },
  { question: 'E-mail', answer: email },
  { question: 'Team', answer: '10 to 50' },
];

const linkless = {
  uri: uri('events', 'L1'),
  status: 'active',
  location: { type: 'google_conference', status: 'processing', join_url: null },
  created_at: january(7),
  updated_at: january(7),
};

const bodies: readonly string[] = [
  // A3 was marked and is not any more; C1 was canceled before it was marked; H1 was marked by mistake; B missed twice.
  mark('A3', '2', january(6, '10:00:00')),
  mark('A3', null, january(6, '10:30:00')),
  mark('C1', '3', january(9)),
  mark('H1', '4', january(9)),
  mark('H1', null, january(10)),
  booking('B9', january(10), 'b@EXAMPLE.test', { no_show: { uri: uri('no_shows', '9'), created_at: january(12) } }),
  booking('L1', january(7), 'l@example.test', { scheduled_event: linkless }),
  // One person with two contacts that share an address; another with one; two without; one whose contact was deleted.
  contact('ada', january(1), ['ada@example.test', 'ada.b@example.test']),
  contact('ada2', january(2), ['ADA.B@example.test', 'lovelace@example.test']),
  contact('ben', january(3), ['ben@example.test']),
  contact('old', january(3), ['cyd@example.test'], { deleted_at: january(3) }),
  booking('b1', january(1), 'ada@example.test'),
  booking('b2', january(2), 'Lovelace@example.test'),
  booking('b3', january(3), 'cyd@example.test'),
  booking('b4', january(4), 'Cyd@example.test'),
  booking('b5', january(5), 'dee@example.test'),
  // Bookings that were moved to one with another address, whichever of the two links them, and to one that is not mirrored.
  contact('one', january(1), ['one@example.test']),
  booking('1', january(2), 'one@example.test', movedTo('2')),
  booking('2', january(2), 'other@example.test'),
  booking('3', january(2), 'one@example.test', movedTo(null)),
  booking('4', january(2), 'other@example.test', { old_invitee: uri('invitees', '3') }),
  booking('5', january(2), 'one@example.test', movedTo('6')),
  contact('a', january(5), ['a@example.test', 'b@EXAMPLE.test'], { name: 'Guest A', company: 'Acme' }),
  delivery('contact.merged', january(8), { uri: uri('contacts', 'a') }),
  recap('A3', january(6, '11:00:00'), { summary_md: 'They will buy.' }),
  recap('one', january(1), { share_link: 'https://share.example.test/1', transcript: uri('transcripts', 'one') }),
  recap('two', january(2), {
    summary_md: 'Costs 100% of Ünder_budget',
    event: {
      name: 'Outside',
      start_time: january(2),
      attendees: [
        { host: true, user_name: 'Ada', user_email: 'ada@hosts.test' },
        { host: false, user_name: 'Guest', user_email: 'Guest@example.test' },
      ],
    },
  }),
  recap('deleted', january(4)),
  delivery('meeting_recap.deleted', january(5), { uri: uri('meeting_recaps', 'deleted'), deleted_at: january(5) }),
  submission('odd', { type: 'custom_message', value: { body: 'No', headline: 'Sorry' } }, [
    { question: '<script>', answer: null },
  ]),
  submission('site', { type: 'external_url', value: 'https://example.test/?a=1&b="' }, answersOf('Ada', 'ada@x.test')),
  submission('open', intro),
  // Zoë booked in another way; Kim's booking has another name.
  submission('lead', intro, answersOf('Zoë', ' ZOE@example.test')),
  booking('zoe', january(10), 'zoe@example.test'),
  submission('kim', intro, answersOf('Kim', 'kim@example.test')),
  booking('bob', january(10), 'bob@example.test', {
    name: 'Bob',
    routing_form_submission: uri('routing_form_submissions', 'kim'),
  }),
  '{"event": "contact.updated", no JSON',
];

const users = [
  { uri: uri('users', 'ada'), name: 'Ada', email: 'Ada@hosts.test', timezone: 'America/New_York' },
  { uri: uri('users', 'ben'), name: 'Ben', timezone: 'America/New_York' },
];

const field = (id: string) => uri('contact_custom_fields', id);
const definitions = [
  { uri: field('size'), label: 'Size', field_type: 'single_select', options: [{ uuid: 'o1', label: 'Large' }] },
  { uri: field('budget'), label: 'Budget', field_type: 'currency', currency: 'EUR' },
];
const withFields = (at: string, size: string | null): string =>
  contact('ada', at, ['ada@example.test', 'ada.b@example.test'], {
    company: 'Engines',
    custom_fields: [
      { uri: field('size'), label: 'Size', value: size },
      { uri: field('budget'), label: 'Budget', value: 12_500 },
    ],
  });
const upcoming = { uri: uri('events', 'next'), status: 'active', start_time: '2032-05-05T10:00:00.000000Z' };

const alert = (id: string, subject: string, more: Partial<NewAlert> = {}): NewAlert => ({
  id,
  rule: 'missed',
  channel: 'slack',
  subject_uri: subject,
  fact: uri('no_shows', '1'),
  occurred_at: january(7),
  due_at: january(7),
  ...more,
});

const subscription = (place: number): KnownSubscription => ({
  uri: uri('webhook_subscriptions', String(place)),
  callback_url: `https://hooks.example.test/webhooks?s=${place}`,
  state: place === 3 ? 'disabled' : 'active',
  events: ['contact.created', 'invitee.created'],
  scope: 'user',
  organization: uri('organizations', '1'),
  user: uri('users', 'ada'),
  group: null,
  creator: null,
  retry_started_at: null,
  created_at: january(1),
  updated_at: january(2),
  checked_at: january(3),
});

export async function fillReadWorld(store: Store): Promise<void> {
  await ingestCountedBookings(store);
  const read = (kind: 'user' | 'custom_field_definition', records: readonly { readonly uri: string }[]) =>
    ingestRead(
      store,
      records.map((record) => ({
        kind,
        record: { ...record, created_at: january(1), updated_at: january(2) },
        observed: january(2),
      })),
    );
  await read('user', users);
  // One by one: what was marked and unmarked is a history.
  for (const body of bodies) await ingestBodies(store, [body]);
  await read('custom_field_definition', definitions);
  // A second mark that was removed, a field that changed, and meetings of which the service computed another next one.
  const computed = { company: 'Looms', next_meeting_date: '2031-05-05T10:00:00.000000Z' };
  for (const body of [
    mark('A3', '5', january(12)),
    mark('A3', null, january(13)),
    withFields(january(10), null),
    withFields(january(11), 'o1'),
    contact('ben', january(10), ['ben@example.test'], computed),
    booking('next', january(11), 'Ben@example.test', {
      scheduled_event: { ...upcoming, end_time: upcoming.start_time },
    }),
  ])
    await ingestBodies(store, [body]);
  await writeSubscriptions(store, { seen: [3, 1, 2].map(subscription), deleted: [] });
  await store.transaction(async (unit) => {
    await insertAlerts(unit, [alert('alert-1', uri('invitees', 'A3'), { fact: uri('no_shows', '2') })], january(6));
    const late = { rule: 'lag', channel: 'email', subject_uri: 'mirror', detail: 'late' };
    await insertAlerts(unit, [alert('alert-2', uri('invitees', 'B3')), alert('alert-3', '', late)], january(7));
    await insertAlerts(unit, [alert('alert-4', uri('invitees', 'B9'))], january(8));
    await markSent(unit, await readAlerts(unit, ['alert-1']), january(6, '10:05:00'));
    const failure = { now: january(8), error: 'answered 500', next_at: undefined };
    await markFailed(unit, await readAlerts(unit, ['alert-4']), failure);
  });
}
