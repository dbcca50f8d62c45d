// Who came, on a million bookings: the first page of `GET /api/bookings` by attendance, and the first rows of the view; and the first
// page of people; on SQLite and PostgreSQL.
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore } from '#src/store/open-store.ts';
import type { Store } from '#src/store/contract.ts';
import { catchUpContactSearch, useContactSearch } from '#src/store/search/contact-follower.ts';
import { attendances } from '#src/store/views/attendance.ts';
import { startServers } from './cpu.ts';
import { median, type Figure, type Measurement } from './measure.ts';
import { openReadApi } from './pages.ts';
import { temporaryFolder } from './processes.ts';

const bookings = 1_000_000;
const rounds = 5;
const limitMs = 200;

export const attendance: Measurement = {
  name: 'attendance',
  about: `the first page of bookings by attendance and of people, of ${bookings} bookings on SQLite and PostgreSQL`,
  async run() {
    using folder = temporaryFolder();
    await using servers = await startServers();
    return [
      ...(await measureAttendance(`sqlite:${join(folder.path, 'mirror.db')}`, bookings)),
      ...(await measureAttendance(await servers.postgres.createDatabase(), bookings)),
    ];
  },
};

export async function measureAttendance(url: string, count: number): Promise<readonly Figure[]> {
  await using store = await openStore({ report: () => {} }, url);
  await fill(store, count);
  await useContactSearch(store);
  await catchUpContactSearch(store, { atOnce: 2_000 });
  using api = openReadApi(store);
  const { ask } = api;
  const figures: Figure[] = [];
  const measure = async (name: string, read: () => Promise<unknown>, isLimited = false): Promise<void> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      await read();
      times.push(performance.now() - startedAt);
    }
    const figure = { name: `${name.replace(' ', `.${store.engine.name}_ms (`)})`, value: median(times), unit: 'ms' };
    figures.push(isLimited ? { ...figure, limit: ['<=', limitMs] } : figure);
  };
  for (const value of attendances)
    await measure(`attendance API, ${value}`, () => ask(`/api/bookings?attendance=${value}`), value === 'unconfirmed');
  const fromView = (which: ReturnType<typeof sql>) => () =>
    sql`select * from people where ${which} order by person limit 50`.execute(store.db);
  await measure('people view', fromView(sql`1 = 1`), true);
  await measure('people view, with a contact', fromView(sql`contact_uri is not null`), true);
  await measure('people view, without a contact', fromView(sql`contact_uri is null`), true);
  await measure('people API', () => ask('/api/people?count=50'), true);
  await measure('people API, without a contact', () => ask('/api/people?contact=false&count=50'), true);
  await measure('people API, by name', () => ask('/api/people?name=Person%2077'), true);
  await measure('people API, by address', () => ask('/api/people?email=pair7@example.test'), true);
  await measure('people API, by a shared mailbox', () => ask('/api/people?email=info@example.test'), true);
  // Only reported, and measured once: the view computes all journeys before it answers the first one.
  const startedAt = performance.now();
  await sql`select * from booking_journeys where attendance = 'unconfirmed' limit 20`.execute(store.db);
  figures.push({ name: `attendance.${store.engine.name}_view_ms`, value: performance.now() - startedAt, unit: 'ms' });
  return figures;
}

/** Every tenth booking moves the one before it, every eleventh was missed; two of three meetings have a recap. */
async function fill({ db, engine: { name } }: Store, count: number): Promise<void> {
  const isSqlite = name === 'sqlite';
  const series = isSqlite
    ? sql`(with recursive s (i) as (select 1 union all select i + 1 from s where i < ${sql.lit(count)}) select i from s) as s`
    : sql`generate_series(1, cast(${sql.lit(count)} as bigint)) as s (i)`;
  // One booking a minute, five days before its meeting.
  const minutes = sql`(i - ${sql.lit(count)} + 7200)`;
  const at = (more: number) =>
    isSqlite
      ? sql`strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', (${minutes} + ${sql.lit(more)}) || ' minutes')`
      : sql`now() + (${minutes} + ${sql.lit(more)}) * interval '1 minute'`;
  // In no order, as identifiers of the service are.
  const uri = (kind: string, i = sql`i`) =>
    sql`${sql.lit(`https://api.scheduling.test/${kind}/`)} || (${i} * 2654435761 % 4294967296)`;
  const json = (text: ReturnType<typeof sql>) => (isSqlite ? text : sql`cast(${text} as jsonb)`);
  const host = `{"host":true,"user_name":"Host","user_email":"host@example.test"}`;
  const attendees = sql`case i % 4 when 0 then ${sql.lit(`[${host}]`)}
    when 1 then ${sql.lit(`[${host},{"host":false,"user_email":"person`)} || i || '@example.test"}]' end`;
  const statements = [
    sql`insert into scheduled_events (uri, name, status, start_time, end_time, event_type, hosts, created_at)
      select ${uri('scheduled_events')}, 'Meeting', 'active', ${at(0)}, ${at(30)}, ${uri('event_types', sql`i % 20`)},
        ${json(sql`'[{"user":"https://api.scheduling.test/users/1"}]'`)}, ${at(-7_200)} from ${series}`,
    sql`insert into invitees (uri, email, name, status, event_uri, rescheduled, old_invitee, new_invitee, no_show_uri, no_show_at, created_at)
      select ${uri('invitees')}, 'person' || i || '@example.test', 'Person ' || i,
        case when i % 10 = 9 then 'canceled' else 'active' end, ${uri('scheduled_events')}, i % 10 = 9,
        case when i % 10 = 0 then ${uri('invitees', sql`(i - 1)`)} end, case when i % 10 = 9 then ${uri('invitees', sql`(i + 1)`)} end,
        case when i % 11 = 0 then ${uri('no_shows')} end, case when i % 11 = 0 then ${at(40)} end, ${at(-7_200)} from ${series}`,
    sql`insert into meeting_recaps (uri, event_uri, attendees, speakers, created_at)
      select ${uri('meeting_recaps')}, ${uri('scheduled_events')}, ${json(attendees)},
        ${json(sql`case when i % 4 = 3 then '["Host","Person ' || i || '"]' end`)}, ${at(60)} from ${series} where i % 3 > 0`,
    sql`insert into contacts (uri, name, created_at) select ${uri('contacts')}, 'Person ' || i, ${at(0)} from ${series} where i % 3 = 0`,
    sql`insert into contact_emails (contact_uri, email, is_primary)
      select ${uri('contacts')}, 'person' || i || '@example.test', true from ${series} where i % 3 = 0`,
    // Pairs of contacts share an address, 1,000 have a mailbox in common, and 600 are connected in a chain.
    sql`insert into contact_emails (contact_uri, email, is_primary)
      select ${uri('contacts')}, 'pair' || (i / 6) || '@example.test', false from ${series} where i % 3 = 0
      union all select ${uri('contacts')}, 'info@example.test', false from ${series} where i % 9 = 0 and i <= 9000
      union all select ${uri('contacts')}, 'chain' || (i / 3 + link) || '@example.test', false
        from ${series} cross join (select 0 as link union all select 1) as links where i % 3 = 0 and i <= 1800`,
    ...(isSqlite ? [] : [sql`vacuum analyze`]),
  ];
  for (const statement of statements) await statement.execute(db);
}
