// A mirror with so many bookings, written straight into its tables: a year of meetings, the last tenth still to come. Of 20 bookings two
// were rescheduled, one of them stated by one link only, and some twice; four have a recap, two a payment, one a routing submission.
import Sqlite from 'better-sqlite3';
import { sqliteFile, openStore } from '#src/store/open-store.ts';
import { catchUpContactSearch, useContactSearch } from '#src/store/contact-search/contact-follower.ts';
import { connect } from './mirror.ts';

export const fewBookings = 30_000;
export const contactsPerBooking = 0.4;

/** What the two engines write differently. */
interface Dialect {
  /** A time so many seconds after 1970. */
  at(seconds: string): string;
  json(text: string): string;
  /** Eight digits. */
  hex(number: string): string;
}

const sqlite: Dialect = {
  at: (seconds) => `strftime('%Y-%m-%dT%H:%M:%S.000000Z', ${seconds}, 'unixepoch')`,
  json: (text) => text,
  hex: (number) => `printf('%08x', ${number})`,
};
const postgres: Dialect = {
  at: (seconds) => `to_timestamp(${seconds})`,
  json: (text) => `(${text})::jsonb`,
  hex: (number) => `lpad(to_hex(${number}), 8, '0')`,
};

/** Fills an empty store. */
export async function fillMirror(url: string, bookings: number): Promise<void> {
  const needs = { report: () => {} };
  await (await openStore(needs, url)).close();
  const path = sqliteFile(url);
  if (path === undefined) {
    await using database = await connect(url);
    await database.rows('set synchronous_commit = off');
    for (const statement of filling(postgres, bookings)) await database.rows(statement);
  } else {
    const database = new Sqlite(path);
    // Each page is written once, without a journal, and nothing is synced.
    for (const setting of ['journal_mode = off', 'synchronous = off', 'cache_size = -400000']) database.pragma(setting);
    for (const statement of filling(sqlite, bookings)) database.exec(statement);
    database.close();
  }
  // Opened again, it makes the columns of the custom fields that are there by now.
  await using store = await openStore(needs, url);
  await useContactSearch(store);
  await catchUpContactSearch(store, { atOnce: 2_000 });
  if (path !== undefined) return;
  await using database = await connect(url);
  await database.rows('vacuum analyze');
}

const base = 'https://api.scheduling.test';
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC'];
const firstNames = ['Ada', 'Ben', 'Carla', 'Deniz', 'Emil', 'Farah', 'Goran', 'Hanna', 'Ines', 'Jonas'];
const lastNames = [
  'Abel',
  'Brandt',
  'Costa',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Grant',
  'Horvat',
  'Ito',
  'Jansen',
  'Kowalski',
];
const fields = ['single_select', 'text', 'number', 'currency', 'boolean', 'date', 'tags', 'invitee_question'];
const values = ['a', 'A note', 12.5, 4900, true, '2026-03-01', ['sales', 'europe'], 'A friend'];

const text = (value: unknown): string => `'${typeof value === 'string' ? value : JSON.stringify(value)}'`;
const oneOf = (values: readonly string[], number: string): string =>
  `case ${number} % ${values.length} ${values.map((value, at) => `when ${at} then ${text(value)}`).join(' ')} end`;

function filling({ at, json, hex }: Dialect, bookings: number): readonly string[] {
  const year = 365 * 86_400;
  const now = Math.floor(Date.now() / 1000);
  const contacts = bookings * contactsPerBooking;
  const series = (count: number): string =>
    `with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})`;
  /** As scattered as real ones; no two are the same. */
  const id = (number: string): string =>
    `${hex(`(${number}) * 2654435761 % 4294967296`)} || ${hex(`(${number}) * 2246822519 % 4294967296`)}`;
  const uri = (kind: string, number = 'i'): string => `'${base}/${kind}/' || ${id(number)}`;
  const invitee = (number = 'i'): string => `${uri('scheduled_events', number)} || '/invitees/' || ${id(number)}`;
  const start = `(${now} - ${year} * 9 / 10 + i * ${year} / ${bookings}) / 900 * 900`;
  const isOver = `${start} < ${now} - 1800`;
  const person = `(i * 7919 % ${contacts} + 1)`;
  const email = (number: string): string => `'person' || ${number} || '@example.test'`;
  const name = (number: string): string =>
    `${oneOf(firstNames, number)} || ' ' || ${oneOf(lastNames, `(${number} / 10)`)} || ' ' || (${number} / 110)`;
  const both = '(i % 20 = 18 or i % 100 = 19)';
  const [onlyNew, onlyOld] = ['i % 40 = 8', 'i % 40 = 28'];
  const isMoved = `(${both} or ${onlyNew} or ${onlyOld})`;
  const isCanceled = `(i % 7 = 0 and not ${isMoved})`;
  const isMissed = `(i % 11 = 0 and ${isOver} and not ${isMoved} and not ${isCanceled})`;
  const canceledAt = at(`${start} - case i % 3 when 0 then 20000 else 200000 end`);
  const createdAt = at(`${start} - 86400 * (3 + i % 14)`);
  const host = (number: string): string =>
    `'{"user":"${base}/users/' || ${number} || '","user_name":"Host ' || ${number} || '","user_email":"host' || ${number} || '@example.test"}'`;
  const when = (condition: string, value: string): string => `case when ${condition} then ${value} end`;
  const insert = (table: string, columns: Readonly<Record<string, string>>, rest: string): string =>
    `insert into ${table} (${Object.keys(columns).join(', ')}) ${rest.startsWith('from n') ? series(bookings) : ''}
      select ${Object.values(columns).join(', ')} ${rest}`;
  return [
    `insert into users (uri, name, timezone) ${series(25)} select '${base}/users/' || (i - 1), 'Host ' || (i - 1), ${oneOf(zones, 'i')} from n`,
    `insert into event_types (uri, name) ${series(20)} select '${base}/event_types/' || (i - 1), 'Type ' || (i - 1) from n`,
    `insert into custom_field_definitions (uri, label, field_type, options) ${series(fields.length)}
      select '${base}/contacts/custom_field_definitions/' || (i - 1), 'Field ' || (i - 1), ${oneOf(fields, '(i - 1)')},
        ${when('i = 1', json(text([{ uuid: 'a', label: 'Small' }])))} from n`,
    insert(
      'scheduled_events',
      {
        uri: uri('scheduled_events'),
        name: `'Meeting'`,
        status: `case when ${isCanceled} or ${isMoved} then 'canceled' else 'active' end`,
        start_time: at(start),
        end_time: at(`${start} + 1800`),
        event_type: `'${base}/event_types/' || (i % 20)`,
        location: json(`'{"type":"zoom"}'`),
        hosts: json(
          `'[' || ${host('(i % 25)')} || case i % 8 when 0 then ',' || ${host('((i + 1) % 25)')} else '' end || ']'`,
        ),
        created_at: createdAt,
        updated_at: createdAt,
      },
      'from n',
    ),
    insert(
      'invitees',
      {
        uri: invitee(),
        email: email(person),
        name: name(person),
        status: `case when ${isCanceled} or ${isMoved} then 'canceled' else 'active' end`,
        timezone: oneOf(zones, '(i / 3)'),
        event_uri: uri('scheduled_events'),
        utm_source: when('i % 3 > 0', oneOf(['newsletter', 'search', 'partner'], 'i')),
        utm_campaign: when('i % 3 > 0', `'campaign-' || (i % 12)`),
        rescheduled: isMoved,
        new_invitee: when(`${both} or ${onlyNew}`, invitee('i + 1')),
        old_invitee: when(`i % 20 = 19 or i % 100 = 20 or i % 40 = 29`, invitee('i - 1')),
        canceler_type: when(isCanceled, oneOf(['host', 'invitee'], 'i')),
        canceled_at: when(`${isCanceled} or ${isMoved}`, canceledAt),
        no_show_uri: when(isMissed, uri('invitee_no_shows')),
        no_show_at: when(isMissed, at(`${start} + 3600`)),
        payment_external_id: when('i % 10 = 3', `'payment-' || i`),
        payment_provider: when('i % 10 = 3', `'stripe'`),
        payment_amount: when('i % 10 = 3', '50'),
        payment_currency: when('i % 10 = 3', oneOf(['EUR', 'USD'], 'i')),
        payment_successful: when('i % 10 = 3', 'true'),
        routing_form_submission: when('i % 20 = 5', uri('routing_form_submissions')),
        created_at: createdAt,
        updated_at: createdAt,
      },
      'from n',
    ),
    `insert into no_shows (invitee_uri, marked_at, no_show_uri) select uri, no_show_at, no_show_uri from invitees where no_show_uri is not null`,
    insert(
      'meeting_recaps',
      {
        uri: uri('meeting_recaps'),
        event_uri: uri('scheduled_events'),
        attendees: json(
          `'[{"host":true,"user_email":"host@example.test"},{"host":false,"user_email":"' || ${email(person)} || '"}]'`,
        ),
        speakers: when('i % 2 = 0', json(`'["Host","' || ${name(person)} || '"]'`)),
        summary_md: `'They talked about prices.'`,
        created_at: at(`${start} + 3600`),
        updated_at: at(`${start} + 3600`),
      },
      `from n where i % 5 = 1 and ${isOver}`,
    ),
    insert(
      'routing_form_submissions',
      {
        uri: uri('routing_form_submissions'),
        routing_form: `'${base}/routing_forms/1'`,
        result_type: `'event_type'`,
        result: json(`'{"type":"event_type","value":"${base}/event_types/' || (i % 20) || '"}'`),
        submitter: when('i % 20 = 5', invitee()),
        utm_source: `'newsletter'`,
        created_at: createdAt,
        updated_at: createdAt,
      },
      'from n where i % 20 in (5, 6)',
    ),
    insert(
      'contacts',
      {
        uri: uri('contacts'),
        name: name('i'),
        primary_email: email('i'),
        emails: json(`'[{"email":"' || ${email('i')} || '","is_primary":true}]'`),
        phone_numbers: json(`'[]'`),
        timezone: oneOf(zones, 'i'),
        company: `'Company ' || (i % 1000)`,
        country: oneOf(['DE', 'US', 'JP', 'FR'], 'i'),
        // All of them where the view that spreads them is measured.
        custom_fields: when(
          `i <= ${fewBookings}`,
          json(
            text(
              values.map((value, at) => ({
                uri: `${base}/contacts/custom_field_definitions/${at}`,
                label: `Field ${at}`,
                value,
              })),
            ),
          ),
        ),
        created_at: at(`${now} - ${year} + i * ${year} / ${contacts}`),
        updated_at: at(`${now} - ${year} + i * ${year} / ${contacts}`),
      },
      `from n where i <= ${contacts}`,
    ),
    `insert into contact_emails (contact_uri, email, is_primary) select uri, primary_email, true from contacts`,
    insert(
      'event_log',
      {
        delivery_id: `${id('i')} || ${id('i')} || ${id('i')} || ${id('i')}`,
        source: `'webhook'`,
        event: `case when i % 200 = 11 then 'webinar.created' when i % 7 = 0 then 'invitee.canceled' else 'invitee.created' end`,
        subject_uri: invitee(),
        occurred_at: createdAt,
        received_at: at(`${now} - 100 * 86400 + i * 8640000 / ${bookings}`),
        outcome: `case when i % 500 = 7 then 'quarantined' when i % 200 = 11 then 'unhandled' else 'applied' end`,
        body: `'{"event":"invitee.created","payload":{"uri":"' || ${invitee()} || '","email":"' || ${email(person)} || '","questions_and_answers":[{"question":"What about?","answer":"Pricing ${'and so on '.repeat(60)}"}]}}'`,
        tie: id('i'),
      },
      'from n',
    ),
  ];
}
