// A small world whose every number can be counted by hand: eleven bookings in January 2025, two forms, two hosts.
//
//   A1 → A2 → A3   moved twice, held                    Mon 6 Jan, booked 1 Jan, paid once (EUR 20)
//   B1 → (?) → B3  moved through one never seen, missed  Tue 7 Jan
//   C1             canceled by its invitee 2 h before    Wed 8 Jan, canceled that day
//   D1             canceled by its invitee 3 days before Wed 8 Jan, canceled 5 Jan
//   E1             canceled by a host                    canceled 3 Jan
//   F1             canceled, not known by whom         canceled 3 Jan
//   G1             to come                               1 Jan 2190, paid USD 5, and a failed payment on H1
//   H1             held with two hosts                   Mon 6 Jan
//   I1 → (?)       moved to one never seen               moved 4 Jan
import type { Store } from '#src/store/contract.ts';
import { ingestBodies, ingestRead } from '../stores.ts';

export const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
export const january = (day: number, time = '09:00:00'): string =>
  `2025-01-${String(day).padStart(2, '0')}T${time}.000000Z`;

export const delivery = (event: string, created_at: string, payload: object): string =>
  JSON.stringify({ event, created_at, payload });

interface Booking {
  readonly type?: string;
  readonly made: string;
  readonly start: string;
  readonly hosts?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

const link = (id: string) => uri('invitees', id);
const moved = (to: string | null, at: string, by = 'invitee') => ({
  status: 'canceled',
  rescheduled: true,
  new_invitee: to && link(to),
  cancellation: { canceler_type: by, created_at: at },
});
const canceled = (canceler_type: string | null, at: string) => ({
  status: 'canceled',
  rescheduled: false,
  cancellation: { canceler_type, created_at: at, reason: 'No time' },
});
const paid = (external_id: string, amount: number, currency: string, successful = true) => ({
  payment: { external_id, provider: 'stripe', amount, currency, terms: null, successful },
});
const from = (utm_source: string) => ({ tracking: { utm_source } });

const bookings: Readonly<Record<string, Booking>> = {
  A1: {
    made: january(1),
    start: january(3),
    more: {
      ...from('mail'),
      ...moved('A2', january(2)),
      ...paid('ch_1', 20, 'EUR'),
      routing_form_submission: uri('submissions', '1'),
    },
  },
  // Says itself where it comes from, and where it goes to is said by the next.
  A2: {
    made: january(2),
    start: january(4),
    more: { ...moved(null, january(3)), old_invitee: link('A1'), ...paid('ch_1', 20, 'EUR') },
  },
  A3: { made: january(3), start: january(6), more: { old_invitee: link('A2'), ...paid('ch_1', 20, 'EUR') } },
  B1: {
    made: january(1),
    start: january(5),
    hosts: ['ben'],
    more: { ...from('web'), ...moved('B2', january(2)), routing_form_submission: uri('submissions', '2') },
  },
  B3: {
    made: january(3),
    start: january(7, '14:30:00'),
    hosts: ['ben'],
    more: { old_invitee: link('B2'), no_show: { uri: uri('no_shows', '1'), created_at: january(7, '15:10:00') } },
  },
  C1: { made: january(1), start: january(8), more: canceled('invitee', january(8, '07:00:00')) },
  D1: { made: january(1), start: january(8), more: canceled('invitee', january(5)) },
  E1: {
    made: january(2),
    start: january(8),
    more: { ...canceled('host', january(3)), routing_form_submission: uri('submissions', '3') },
  },
  F1: { made: january(2), start: january(8), more: canceled(null, january(3)) },
  G1: { type: 'demo', made: january(2), start: '2190-01-01T09:00:00.000000Z', more: paid('ch_2', 5, 'USD') },
  H1: {
    type: 'demo',
    made: january(2),
    start: january(6),
    hosts: ['ada', 'ben'],
    more: { ...from('mail'), ...paid('ch_3', 99, 'USD', false) },
  },
  I1: { made: january(2), start: january(9), more: moved('I2', january(4)) },
};

function bodyOf([id, { type = 'intro', made, start, hosts = ['ada'], more }]: [string, Booking]): string {
  const end = new Date(Date.parse(start) + 1_800_000).toISOString();
  const members = hosts.map((host) => ({ user: uri('users', host), user_name: `Host ${host}` }));
  const scheduled_event = {
    uri: uri('events', id),
    name: 'A talk',
    status: 'active',
    start_time: start,
    end_time: end,
    event_type: uri('event_types', type),
    event_memberships: members,
    event_guests: id === 'H1' ? [{ email: 'guest-1@example.test' }, { email: 'guest-2@example.test' }] : [],
    location: { type: 'zoom', join_url: 'https://zoom.example.test/1' },
  };
  const invitee = {
    uri: link(id),
    email: `${id[0]}@example.test`,
    name: `Guest ${id[0]}`,
    timezone: 'Europe/Berlin',
    scheduling_method: null,
    status: 'active',
    rescheduled: false,
    created_at: made,
    updated_at: made,
    event: uri('events', id),
    ...more,
  };
  return delivery('invitee.created', made, { ...invitee, scheduled_event });
}

const submission = (id: string, form: string, type: string): string =>
  delivery('routing_form_submission.created', january(1), {
    uri: uri('submissions', id),
    routing_form: uri('forms', form),
    result: { type },
    created_at: january(1),
  });

const submissions = [
  ...['1', '2', '3'].map((id) => submission(id, 'sales', 'event_type')),
  submission('4', 'sales', 'external_url'),
  submission('5', 'help', 'custom_message'),
];

const contact = delivery('contact.created', january(1), {
  uri: uri('contacts', 'a'),
  name: 'Guest A',
  emails: [{ email: 'a@example.test', is_primary: true }],
  created_at: january(1),
  updated_at: january(1),
});

/** Tells it all to a store, the end first. */
export async function ingestCountedBookings(store: Store): Promise<void> {
  await ingestBodies(store, [...Object.entries(bookings).map(bodyOf), ...submissions, contact].toReversed());
  const names = [
    { kind: 'event_type', record: { uri: uri('event_types', 'intro'), name: 'Introduction' } },
    { kind: 'user', record: { uri: uri('users', 'ada'), name: 'Ada', timezone: 'America/New_York' } },
    { kind: 'routing_form', record: { uri: uri('forms', 'sales'), name: 'Sales' } },
  ] as const;
  await ingestRead(
    store,
    names.map((one) => ({ ...one, observed: january(1) })),
  );
}
