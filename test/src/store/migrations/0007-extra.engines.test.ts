// A database whose rows carry whole payloads, brought up to date: it ends as a rebuild from its log would make it.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { TableName } from '#src/store/tables.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { mirrorTables } from '#workers/projections/contract.ts';
import { childTables } from '#workers/projections/child-rows.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { engineOf, insertRow, migratedTo } from '../../../harness/mirror/former-database.ts';
import { ingestBodies, projectedRows, receivedAt, rowsOf, storeEngines } from '../../../harness/stores.ts';

type Payload = { readonly uri: string; readonly [key: string]: Json };

const base = 'https://api.example.test';
const at = (second: number) => `2025-04-14T11:43:${String(second).padStart(2, '0')}.000000Z`;

const contact = {
  uri: `${base}/contacts/1`,
  name: 'Ada',
  emails: [{ email: 'ada@example.test', is_primary: true }],
  updated_at: at(1),
  deleted_at: null,
  // In another order than that of the alphabet.
  zodiac: 'Leo',
  avatar: { small: 'a.png' },
};
const plainContact = { uri: `${base}/contacts/2`, name: 'Grace', updated_at: at(1) };
const meeting = { uri: `${base}/scheduled_events/1`, name: 'Intro', updated_at: at(1), calendar_event: { id: 7 } };
const { scheduled_event: _event, ...invitee } = {
  uri: `${base}/invitees/1`,
  name: 'Ada',
  status: 'active',
  canceled: false,
  no_show: null,
  event: meeting.uri,
  updated_at: at(1),
  extra: 'a field of this name',
  scheduled_event: meeting,
};
// Without a time of its own, so that the delete is newer.
const eventType = { uri: `${base}/event_types/1`, name: 'Intro', is_paid: false };
const recap = {
  uri: `${base}/meeting_recaps/1`,
  summary_md: 'Short.',
  user: `${base}/users/1`,
  event: { uri: meeting.uri, name: 'Intro', series: 3 },
};
const definition = { uri: `${base}/contact_custom_fields/1`, label: 'Segment', retired_at: at(3) };
const user = { uri: `${base}/users/1`, name: 'Host', avatar_url: 'https://example.test/a.png' };
const membership = { uri: `${base}/organization_memberships/1`, role: 'owner', user: user.uri, seat: 4 };
const oddMembership = { uri: `${base}/organization_memberships/2`, user: { name: 'No URI' } };

/** The payload that the row of each URI carried. */
const bodies = new Map<unknown, Payload>(
  [contact, plainContact, meeting, invitee, eventType, recap, definition, user, membership, oddMembership].map(
    (each) => [each.uri, each],
  ),
);

const delivery = (event: string, second: number, payload: Payload) =>
  JSON.stringify({ event, created_at: at(second), payload });
const screen = privacyScreen({ eraseOnDelete: false });

/** The same facts, folded by this version. */
async function fillToday(store: Store): Promise<void> {
  await ingestBodies(store, [
    delivery('contact.created', 2, contact),
    delivery('contact.created', 2, plainContact),
    delivery('invitee.created', 2, { ...invitee, scheduled_event: meeting }),
    delivery('event_type.created', 2, eventType),
    // Newer, and without a description: every field lags behind it.
    delivery('event_type.deleted', 3, { uri: eventType.uri, deleted_at: at(3) }),
    delivery('meeting_recap.created', 2, recap),
  ]);
  const read = (kind: 'custom_field_definition' | 'organization_membership', record: Payload) => ({
    kind,
    record,
    observed: at(4),
  });
  const records = [
    read('custom_field_definition', definition),
    read('organization_membership', { ...membership, user }),
    read('organization_membership', oddMembership),
  ];
  await ingestRecords({ store, screen }, records, { source: 'reconcile', now: receivedAt });
}

/** The database as the version before left it. */
async function makePrevious(url: string, today: Store): Promise<void> {
  await using engine = await migratedTo(url, '0006-key-values');
  const tables: TableName[] = ['event_log', ...mirrorTables, ...childTables.map(({ table }) => table)];
  for (const table of tables) {
    const rows = await today.db.selectFrom(table).selectAll().execute();
    for (const { dismissed_at: _later, ...row } of rows as readonly Record<string, unknown>[])
      await insertRow(engine, table, mirrorTables.some((name) => name === table) ? old(row) : row);
  }
}

function old({
  extra: _extra,
  speakers: _speakers,
  owner_uuid: _owner,
  deleted_at: deletedAt,
  lagging,
  ...row
}: Record<string, unknown>): Record<string, unknown> {
  const versions = typeof lagging === 'string' ? (JSON.parse(lagging) as StoredRow) : (lagging as StoredRow | null);
  const newer = /^(speakers|user_uuid|attendees|event_(uri|name|start_time|end_time|location))$/;
  const former = Object.entries(versions ?? {}).filter(([name]) => !newer.test(name));
  const names = former.map(([name, version]) => [name === 'extra' ? 'body' : name, version]);
  const sorted = names.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return {
    ...row,
    ...('deleted_source' in row && { deleted_at: deletedAt }),
    lagging: sorted.length > 0 ? Object.fromEntries(sorted) : null,
    body: bodies.get(row['uri']) ?? null,
  };
}

describe.each(storeEngines)('a database of the schema with whole payloads on $name', ({ available, blank, fresh }) => {
  it.runIf(available)('ends as a rebuild from its log', async () => {
    await using today = await fresh();
    await fillToday(today.store);
    const expected = await projectedRows(today.store);
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(['contacts', 'users', 'meeting_recaps']));

    await using place = await blank();
    await makePrevious(place.url, today.store);
    await using store = await openStore({ report: () => {} }, place.url);
    expect(await projectedRows(store)).toEqual(expected);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it.runIf(available)('shows what has no column, and nothing else', async () => {
    await using today = await fresh();
    await fillToday(today.store);
    await using place = await blank();
    await makePrevious(place.url, today.store);
    await using store = await openStore({ report: () => {} }, place.url);
    const extras = new Map<unknown, unknown>();
    for (const table of mirrorTables) for (const { uri, extra } of await rowsOf(store, table)) extras.set(uri, extra);
    expect(Object.fromEntries(extras)).toEqual({
      [contact.uri]: { zodiac: 'Leo', avatar: { small: 'a.png' } },
      [plainContact.uri]: null,
      [meeting.uri]: { calendar_event: { id: 7 } },
      [invitee.uri]: { extra: 'a field of this name' },
      [eventType.uri]: { is_paid: false },
      [recap.uri]: { user: user.uri, event: { series: 3 } },
      [definition.uri]: { retired_at: at(3) },
      [user.uri]: { avatar_url: 'https://example.test/a.png' },
      [membership.uri]: { seat: 4 },
      [oddMembership.uri]: { user: { name: 'No URI' } },
    });
    const [type] = await rowsOf(store, 'event_types');
    expect(Object.keys(type?.['lagging'] as object)).toContain('extra');
  });

  it.runIf(available)('is not held up by our own view that named every column', async () => {
    await using place = await blank();
    await using today = await fresh();
    await fillToday(today.store);
    await makePrevious(place.url, today.store);
    const engine = engineOf(place.url);
    await sql`create view revenue as with payments as (select invitees.*, 1 as place from invitees)
      select uri from payments`.execute(engine.db);
    if (engine.name === 'postgres')
      await sql`comment on view revenue is 'Payments. Kept by Slotstream (0123456789abcdef).'`.execute(engine.db);
    await engine.close();
    await using store = await openStore({ report: () => {} }, place.url);
    await expect(sql`select * from revenue`.execute(store.db)).resolves.toBeDefined();
  });

  it.runIf(available)('names the table whose payloads a view of the user reads', async () => {
    await using place = await blank();
    await using today = await fresh();
    await makePrevious(place.url, today.store);
    const engine = engineOf(place.url);
    await sql`create view mine as select uri, body from invitees`.execute(engine.db);
    await engine.close();
    await expect(openStore({ report: () => {} }, place.url)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('invitees'),
      hint: expect.stringContaining('views'),
    });
  });
});
