// How long the SQL views take on PostgreSQL over 100,000 bookings and the contacts who made them.
import { median, type Figure, type Measurement } from './measure.ts';
import { connect, startServers, type Client } from './mirror.ts';
import { startProduct, temporaryFolder } from './processes.ts';

const bookings = 100_000;
/** About as many bookings per contact as in the sandbox. */
const contacts = 40_000;
const rounds = 3;
const limits: Readonly<Record<string, number | undefined>> = {
  bookings_daily: 1_000,
  contacts_wide: 1_000,
  contact_custom_fields: undefined,
  booking_journeys: undefined,
  booking_journey_changes: undefined,
  no_show_rate: undefined,
  revenue: undefined,
};

export const views: Measurement = {
  name: 'views',
  about: `the SQL views on PostgreSQL with ${bookings} bookings and ${contacts} contacts`,
  drivesProcesses: true,
  async run() {
    await using servers = await startServers();
    using folder = temporaryFolder();
    const url = await servers.postgres.createDatabase();
    const env = { DATA_DIR: folder.path, QUEUE_URL: servers.redis.url, DATABASE_URL: url };
    // The first start makes the tables; the second makes the columns of the custom fields that are there by then.
    await (await startProduct('start', env))[Symbol.asyncDispose]();
    await using database = await connect(url);
    for (const statement of filling) await database.rows(statement);
    await (await startProduct('start', env))[Symbol.asyncDispose]();
    const figures: Figure[] = [];
    for (const [name, limit] of Object.entries(limits)) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) times.push(await executionMs(database, name));
      const figure = { name: `views.${name}_ms`, value: median(times) };
      figures.push(limit === undefined ? figure : { ...figure, limit: ['<=', limit] });
    }
    return figures;
  },
};

/** On the server: every column of every row is computed, and none is sent. */
async function executionMs(database: Client, view: string): Promise<number> {
  const [row] = await database.rows<{ 'QUERY PLAN': readonly { 'Execution Time': number }[] }>(
    `explain (analyze, timing off, format json) select * from ${view}`,
  );
  return row?.['QUERY PLAN'][0]?.['Execution Time'] ?? Number.NaN;
}

/** Every tenth booking moves the one before it, every seventh is canceled, every eleventh missed, every ninth paid. */
const filling: readonly string[] = [
  `create function pg_temp.uri(i bigint) returns text immutable language sql as
    $$ select 'https://api.scheduling.test/scheduled_events/' || md5(i::text) || '/invitees/' || md5('i' || i) $$`,
  `insert into event_types (uri, name, created_at)
    select 'https://api.scheduling.test/event_types/' || i, 'Type ' || i, '2025-01-01Z' from generate_series(0, 19) i`,
  `insert into scheduled_events (uri, name, status, start_time, end_time, event_type, hosts, created_at)
    select 'https://api.scheduling.test/scheduled_events/' || md5(i::text), 'Meeting', 'active', at, at + interval '30 minutes',
      'https://api.scheduling.test/event_types/' || i % 20,
      jsonb_build_array(jsonb_build_object('user', 'https://api.scheduling.test/users/' || i % 25)), at - interval '5 days'
    from generate_series(1, ${bookings}) i, lateral (select '2025-06-01Z'::timestamptz + i * interval '4 minutes' as at) times`,
  `insert into invitees (uri, email, name, status, event_uri, rescheduled, old_invitee, new_invitee, canceler_type, canceled_at,
      no_show_at, payment_successful, payment_external_id, payment_provider, payment_amount, payment_currency, utm_source, created_at)
    select pg_temp.uri(i), 'person' || i % ${contacts} || '@example.test', 'Person ' || i, case when i % 10 = 9 or i % 7 = 0 then 'canceled' else 'active' end,
      'https://api.scheduling.test/scheduled_events/' || md5(i::text), i % 10 = 9, case when i % 10 = 0 then pg_temp.uri(i - 1) end,
      case when i % 10 = 9 then pg_temp.uri(i + 1) end, case when i % 7 = 0 then case when i % 2 = 0 then 'host' else 'invitee' end end,
      case when i % 7 = 0 or i % 10 = 9 then at - interval '2 days' end, case when i % 11 = 0 then at end,
      case when i % 9 = 0 then true end, case when i % 9 = 0 then 'payment-' || i end, case when i % 9 = 0 then 'stripe' end,
      case when i % 9 = 0 then 50 end, case when i % 9 = 0 then 'EUR' end, 'newsletter', at - interval '5 days'
    from generate_series(1, ${bookings}) i, lateral (select '2025-06-01Z'::timestamptz + i * interval '4 minutes' as at) times`,
  `insert into contacts (uri, name, primary_email, emails, phone_numbers, timezone, company, created_at, updated_at)
    select 'https://api.scheduling.test/contacts/' || md5(i::text), 'Person ' || i, 'person' || i || '@example.test',
      jsonb_build_array(jsonb_build_object('email', 'person' || i || '@example.test', 'is_primary', true)), '[]', 'Europe/Berlin', 'Company', '2025-01-01Z', '2025-06-01Z'::timestamptz + i * interval '1 minute' from generate_series(1, ${contacts}) i`,
  `insert into contact_emails (contact_uri, email, is_primary) select uri, primary_email, true from contacts`,
  `insert into custom_field_definitions (uri, label, field_type, options, created_at)
    select 'https://api.scheduling.test/contacts/custom_field_definitions/' || i, 'Field ' || i,
      (array['single_select', 'text', 'number', 'currency', 'boolean', 'date', 'tags', 'invitee_question'])[i],
      case when i = 1 then '[{"uuid":"a","label":"Small"},{"uuid":"b","label":"Large"}]'::jsonb end, '2025-01-01Z' from generate_series(1, 8) i`,
  `update contacts set custom_fields = (select jsonb_agg(jsonb_build_object(
      'uri', 'https://api.scheduling.test/contacts/custom_field_definitions/' || f, 'label', 'Field ' || f, 'value',
      (array['"a"', '"Note ' || primary_email || '"', '12.5', '4900', 'true', '"2026-03-01"', '["sales","europe"]', '"A friend"'])[f]::jsonb))
    from generate_series(1, 8) f)`,
  'vacuum analyze',
];
