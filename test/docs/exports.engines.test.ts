// The SQL of docs/exports.md that keeps a copy of bookings: after each run the copy is what the view says, and only what changed was
// written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#schemas/wire.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { Store } from '#src/store/contract.ts';
import { delivery, ingestCountedBookings, january, uri } from '../harness/data/counted-bookings.ts';
import { availableEngines, ingestBodies, ingestRead } from '../harness/stores.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/exports.md'), 'utf8');
const [make = '', follow = ''] = [
  ...page.slice(page.indexOf('## Follow bookings')).matchAll(/```sql\n([^`]+)```/g),
].map(([, text]) => text);

type Row = Readonly<Record<string, unknown>>;
interface Session extends AsyncDisposable {
  /** Runs statements. */
  run(text: string): Promise<unknown>;
  rows(query: string): Promise<readonly Row[]>;
}

/** As another program reads the database. */
async function openSession(url: string): Promise<Session> {
  if (url.startsWith('sqlite:')) {
    const file = new Sqlite(url.slice('sqlite:'.length));
    return {
      run: async (text) => file.exec(text),
      rows: async (query) => file.prepare<[], Row>(query).all(),
      [Symbol.asyncDispose]: async () => void file.close(),
    };
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set search_path = public, slotstream');
  return {
    run: (text) => client.query(text),
    rows: async (query) => (await client.query<Row>(query)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const invitee = (id: string, day: number, more: object, event = 'invitee.created') =>
  delivery(event, january(day), {
    uri: uri('invitees', id),
    email: `${id[0]}@example.test`,
    created_at: january(day),
    updated_at: january(day),
    ...more,
  });
const read = (store: Store, kind: 'scheduled_event' | 'meeting_recap', record: JsonObject) =>
  ingestRead(store, [{ kind, record, observed: january(28) }]);

/** What happens between two runs, and the bookings that are written: those of the same meeting, too. */
const steps: readonly { readonly changes: readonly string[]; readonly happen: (store: Store) => Promise<unknown> }[] = [
  { changes: [], happen: async () => {} },
  {
    // The first of the two entries alone would leave two bookings.
    changes: ['D1', 'H1'],
    happen: async (store) => {
      await ingestBodies(store, [invitee('D2', 20, { event: uri('events', 'D2') })]);
      await ingestBodies(store, [
        invitee('D2', 21, { event: uri('events', 'H1'), old_invitee: uri('invitees', 'D1') }),
      ]);
    },
  },
  {
    changes: ['E1', 'J2'],
    happen: (store) => ingestBodies(store, [invitee('J2', 22, { event: uri('events', 'E1') })]),
  },
  {
    // J2 is no booking of its own any more.
    changes: ['F1', 'J1'],
    happen: (store) =>
      ingestBodies(store, [
        invitee('J1', 23, { event: uri('events', 'F1'), new_invitee: uri('invitees', 'J2'), rescheduled: true }),
      ]),
  },
  {
    changes: ['G1'],
    happen: (store) =>
      read(store, 'scheduled_event', { uri: uri('events', 'G1'), name: 'Another talk', status: 'canceled' }),
  },
  {
    changes: ['D1', 'H1'],
    happen: (store) =>
      read(store, 'meeting_recap', {
        uri: uri('recaps', '1'),
        created_at: january(28),
        event: { uri: uri('events', 'H1'), attendees: [{ user_name: 'Host ada', user_email: null, host: true }] },
      }),
  },
  {
    changes: ['A1'],
    happen: (store) =>
      ingestBodies(store, [
        delivery('invitee_no_show.created', january(29), {
          uri: uri('invitees', 'A3'),
          no_show: { uri: uri('no_shows', '9'), created_at: january(29) },
        }),
      ]),
  },
];

describe.each(availableEngines)('the copy of bookings on $name', ({ fresh }) => {
  it('follows the log by the statements of docs/exports.md', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await ingestCountedBookings(store);
    await using session = await openSession(opened.url);
    const rowsOf = (relation: string) => session.rows(`select * from ${relation} order by uri`);
    await session.run(make);
    expect(await rowsOf('bookings_copy')).toEqual(await rowsOf('bookings'));
    const run = async (seq: number, since = '2100-01-01T00:00:00.000000Z', until = since) => {
      await session.run(
        follow
          .replaceAll('4711', String(seq))
          .replaceAll('2026-11-15T05:15:00.000000Z', since)
          .replaceAll('2026-11-16T05:15:00.000000Z', until),
      );
    };
    for (const { changes, happen } of steps) {
      const seq = await lastSeq(store);
      await happen(store);
      await session.run("update bookings_copy set location_kind = 'as it was'");
      await run(seq);
      const written = await session.rows(
        "select uri from bookings_copy where location_kind <> 'as it was' or location_kind is null order by uri",
      );
      expect(written).toEqual(changes.map((id) => ({ uri: uri('invitees', id) })));
      await session.run(
        'update bookings_copy set location_kind = (select location_kind from bookings where bookings.uri = bookings_copy.uri)',
      );
      expect(await rowsOf('bookings_copy')).toEqual(await rowsOf('bookings'));
    }
    // Copied before the meetings ended, at half past nine; no entry says that they did.
    await session.run("update bookings_copy set outcome = 'upcoming', ended_at = null, attendance = null");
    const at = (minute: number) => january(6, `09:${minute}:00`);
    await run(await lastSeq(store), at(29), at(30));
    const over = await session.rows("select uri from bookings_copy where outcome <> 'upcoming' order by uri");
    expect(over).toEqual(['A1', 'D1', 'H1'].map((id) => ({ uri: uri('invitees', id) })));
  });
});
