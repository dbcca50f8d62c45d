// A mirror with so many bookings, written straight into its tables: a year of meetings, the last tenth still to come. Of 20 bookings two
// were rescheduled, one of them stated by one link only, and some twice; four have a recap, two a payment, one a routing submission.
import Sqlite from 'better-sqlite3';
import { sqliteFile, openStore } from '#src/store/open-store.ts';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { refillTimeZones } from '#src/store/time-zones.ts';
import { connect } from './mirror.ts';

export const fewBookings = 30_000;
/** As in the sandbox; the search of contacts is promised for so many at most. */
const contactsPerBooking = 0.4;
const mostContacts = 100_000;

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
  await fill(url, (dialect) => filling(dialect, bookings));
  // Opened again, it makes the columns of the custom fields that are there by now.
  await using store = await openStore(needs, url);
  await store.transaction(fillBookingInvitees);
  await store.transaction((unit) => refillTimeZones(unit, store.settings.reportTimezone));
  await analyze(url);
}

/** Fills an empty store with contacts alone. */
export async function fillContacts(url: string, contacts: number): Promise<void> {
  await fill(url, (dialect) => [numbersTo(contacts), ...contactsIn(dialect, contacts, contacts)]);
  await analyze(url);
}

const needs = { report: () => {} };

async function fill(url: string, statementsOf: (dialect: Dialect) => readonly string[]): Promise<void> {
  await (await openStore(needs, url)).close();
  const path = sqliteFile(url);
  if (path === undefined) {
    await using database = await connect(url);
    await database.rows('set synchronous_commit = off');
    for (const statement of statementsOf(postgres)) await database.rows(statement);
  } else {
    const database = new Sqlite(path);
    // Each page is written once, without a journal, and nothing is synced.
    for (const setting of ['journal_mode = off', 'synchronous = off', 'cache_size = -400000']) database.pragma(setting);
    for (const statement of statementsOf(sqlite)) database.exec(statement);
    database.close();
  }
}

async function analyze(url: string): Promise<void> {
  if (sqliteFile(url) !== undefined) return;
  await using database = await connect(url);
  await database.rows('vacuum analyze');
}

const base = 'https://api.scheduling.test';
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC'];
const firstNames = ['Ada', 'Ben', 'Carla', 'Deniz', 'Emil', 'Farah', 'Goran', 'Hanna', 'Ines', 'Jonas'];
const lastNames = ['Abel', 'Brandt', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Grant', 'Horvat', 'Ito', 'Jansen', 'Li'];
const cities = ['Berlin', 'Zürich', 'Αθήνα', 'Москва', 'Graz'];
const fieldTypes = ['single_select', 'text', 'number', 'currency', 'boolean', 'date', 'tags', 'invitee_question'];
const customFields = ['a', 'A note', 12.5, 4900, true, '2026-03-01', ['sales', 'europe'], 'A friend'].map(
  (value, at) => ({
    uri: `${base}/contacts/custom_field_definitions/${at}`,
    label: `Field ${at}`,
    value,
  }),
);

const oneOf = (texts: readonly string[], number: string): string =>
  `case ${number} % ${texts.length} ${texts.map((text, at) => `when ${at} then '${text}'`).join(' ')} end`;
const when = (condition: string, value: string): string => `case when ${condition} then ${value} end`;
const email = (number: string): string => `'person' || ${number} || '@example.test'`;
const name = (number: string): string =>
  `${oneOf(firstNames, number)} || ' ' || ${oneOf(lastNames, `(${number} / 10)`)} || ' ' || (${number} / 110)`;
const host = (number: string): string =>
  `'{"user":"${base}/users/' || ${number} || '","user_name":"Host ' || ${number} || '","user_email":"host' || ${number} || '@example.test"}'`;

/** As scattered as real ones; no two are the same. */
const idOf = ({ hex }: Dialect, number: string): string =>
  `${hex(`(${number}) * 2654435761 % 4294967296`)} || ${hex(`(${number}) * 2246822519 % 4294967296`)}`;

/** The table `n` of numbers. */
const numbersTo = (most: number): string =>
  `create temp table n as with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${most})
    select i from n`;

/** So many contacts, of which the first have custom fields. */
function contactsIn(dialect: Dialect, contacts: number, withFields: number): readonly string[] {
  const { at, json } = dialect;
  const year = 365 * 86_400;
  const now = Math.floor(Date.now() / 1000);
  const created = at(`${now} - ${year} + i * ${year} / ${contacts}`);
  return [
    `insert into custom_field_definitions (uri, label, field_type, options)
      select '${base}/contacts/custom_field_definitions/' || (i - 1), 'Field ' || (i - 1), ${oneOf(fieldTypes, '(i - 1)')},
        ${when('i = 1', json(`'[{"uuid":"a","label":"Small"}]'`))} from n where i <= ${fieldTypes.length}`,
    `insert into contacts (uri, name, primary_email, emails, phone_numbers, timezone, job_title, company, country, city, custom_fields,
        created_at, updated_at)
      select '${base}/contacts/' || ${idOf(dialect, 'i')}, ${name('i')}, ${email('i')},
        ${json(`'[{"email":"' || ${email('i')} || '","is_primary":true}]'`)}, ${json(`'[]'`)}, ${oneOf(zones, 'i')},
        'Engineer ' || (i % 70), 'Company ' || (i % 1000), ${oneOf(['DE', 'US', 'JP', 'FR'], 'i')}, ${oneOf(cities, 'i')},
        ${when(`i <= ${withFields}`, json(`'${JSON.stringify(customFields)}'`))}, ${created}, ${created}
      from n where i <= ${contacts}`,
    `insert into contact_emails (contact_uri, email, is_primary) select uri, primary_email, true from contacts`,
    `insert into contact_phone_numbers (contact_uri, phone_number, is_primary)
      select '${base}/contacts/' || ${idOf(dialect, 'i')}, '+49301' || i, true from n where i <= ${contacts}`,
  ];
}

function filling(dialect: Dialect, bookings: number): readonly string[] {
  const { at, json } = dialect;
  const now = Math.floor(Date.now() / 1000);
  const contacts = Math.min(bookings * contactsPerBooking, mostContacts);
  const id = (number: string): string => idOf(dialect, number);
  const uri = (kind: string, number = 'i'): string => `'${base}/${kind}/' || ${id(number)}`;
  const invitee = (number = 'i'): string => `${uri('scheduled_events', number)} || '/invitees/' || ${id(number)}`;
  const today = Math.floor(now / 86_400) * 86_400;
  const start = `(${today - 328 * 86_400} + i * 365 / ${bookings} * 86400 + 28800 + i * 7 % 18 * 1800)`;
  const created = at(`${start} - 86400 * (3 + i % 14)`);
  const isOver = `${start} < ${now} - 1800`;
  const person = `(i * 7919 % ${contacts} + 1)`;
  const saysNext = '(i % 20 = 18 or i % 100 = 19 or i % 40 = 8)';
  const isMoved = `(${saysNext} or i % 40 = 28)`;
  const isCanceled = `(i % 7 = 0 and not ${isMoved})`;
  const status = `case when ${isCanceled} or ${isMoved} then 'canceled' else 'active' end`;
  const isMissed = `(i % 11 = 0 and ${isOver} and not ${isMoved} and not ${isCanceled})`;
  const ifPaid = (value: string): string => when('i % 10 = 3', value);
  return [
    numbersTo(bookings),
    `insert into users (uri, name, timezone) select '${base}/users/' || i, 'Host ' || i, ${oneOf(zones, 'i')} from n where i <= 25`,
    `insert into event_types (uri, name) select '${base}/event_types/' || i, 'Type ' || i from n where i <= 20`,
    `insert into scheduled_events (uri, name, status, start_time, end_time, event_type, location, hosts, created_at, updated_at, version)
      select ${uri('scheduled_events')}, 'Meeting', ${status}, ${at(start)}, ${at(`${start} + 1800`)},
        '${base}/event_types/' || (i % 20 + 1), ${json(`'{"type":"zoom"}'`)},
        ${json(`'[' || ${host('(i % 25 + 1)')} || case i % 8 when 0 then ',' || ${host('((i + 1) % 25 + 1)')} else '' end || ']'`)},
        ${created}, ${created}, 'described' from n`,
    `insert into invitees (uri, email, name, status, timezone, event_uri, utm_source, utm_campaign, rescheduled, new_invitee, old_invitee,
        canceler_type, canceled_at, no_show_uri, no_show_at, payment, payment_external_id, payment_provider, payment_amount,
        payment_currency, payment_successful, routing_form_submission, created_at, updated_at)
      select ${invitee()}, ${email(person)}, ${name(person)}, ${status}, ${oneOf(zones, '(i / 3)')}, ${uri('scheduled_events')},
        ${when('i % 3 > 0', oneOf(['newsletter', 'search', 'partner'], 'i'))}, ${when('i % 3 > 0', `'campaign-' || (i % 12)`)},
        ${isMoved}, ${when(saysNext, invitee('i + 1'))}, ${when('i % 20 = 19 or i % 100 = 20 or i % 40 = 29', invitee('i - 1'))},
        ${when(isCanceled, oneOf(['host', 'invitee'], 'i'))},
        ${when(`${isCanceled} or ${isMoved}`, at(`${start} - case i % 3 when 0 then 20000 else 200000 end`))},
        ${when(isMissed, uri('invitee_no_shows'))}, ${when(isMissed, at(`${start} + 3600`))}, ${ifPaid(json(`'{"provider":"stripe"}'`))},
        ${ifPaid(`'payment-' || i`)}, ${ifPaid(`'stripe'`)}, ${ifPaid('50')}, ${ifPaid(oneOf(['EUR', 'USD'], 'i'))}, ${ifPaid('true')},
        ${when('i % 20 = 5', uri('routing_form_submissions'))}, ${created}, ${created} from n`,
    `insert into no_shows (invitee_uri, marked_at, no_show_uri)
      select uri, no_show_at, no_show_uri from invitees where no_show_uri is not null`,
    `insert into meeting_recaps (uri, event_uri, attendees, speakers, summary_md, created_at, updated_at)
      select ${uri('meeting_recaps')}, ${uri('scheduled_events')},
        ${json(`'[{"host":true,"user_email":"host@example.test"},{"host":false,"user_email":"' || ${email(person)} || '"}]'`)},
        ${when('i % 2 = 0', json(`'["Host","' || ${name(person)} || '"]'`))}, 'They talked about prices.',
        ${at(`${start} + 3600`)}, ${at(`${start} + 3600`)} from n where i % 5 = 1 and ${isOver}`,
    `insert into routing_form_submissions (uri, routing_form, result_type, result, submitter, utm_source, created_at, updated_at)
      select ${uri('routing_form_submissions')}, '${base}/routing_forms/1', 'event_type',
        ${json(`'{"type":"event_type","value":"${base}/event_types/' || (i % 20 + 1) || '"}'`)}, ${when('i % 20 = 5', invitee())},
        'newsletter', ${created}, ${created} from n where i % 20 in (5, 6)`,
    ...contactsIn(dialect, contacts, fewBookings),
    `insert into event_log (delivery_id, source, event, subject_uri, occurred_at, received_at, outcome, body, tie)
      select ${id('i')} || ${id('i + 1')} || ${id('i + 2')} || ${id('i + 3')}, 'webhook',
        case when i % 200 = 11 then 'webinar.created' when i % 7 = 0 then 'invitee.canceled' else 'invitee.created' end, ${invitee()},
        ${created}, ${at(`${now} - 100 * 86400 + i * 8640000 / ${bookings}`)},
        case when i % 500 = 7 then 'quarantined' when i % 200 = 11 then 'unhandled' else 'applied' end,
        '{"event":"invitee.created","payload":{"uri":"' || ${invitee()} || '","email":"' || ${email(person)}
          || '","questions_and_answers":[{"question":"What about?","answer":"Pricing ${'and so on '.repeat(60)}"}]}}', ${id('i')} from n`,
  ];
}
