// Every column that may hold a person or what people write is empty of them after an erasure, or is named here with the reason.
import { describe, expect } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { insertRows } from '#src/store/rows.ts';
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables, type TableName } from '#src/store/schema/tables.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { createdAt, kindOf, recordOf, recordUris, type People } from '../../../harness/data/declared-records.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { availableEngines, ingestBodies, ingestRead, rowsOf, tableNames, testWith } from '../../../harness/stores.ts';

const address = 'canary@example.test';
const hostAddress = 'canary.host@example.test';
const trace = /canary/i;
const at = '2025-04-14T12:00:00.000000Z';

const tags = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];
const byHosts = 'hosts wrote it, about no guest that could be known: only an address in it is removed';
const campaign = 'the campaign stays for the statistics: only an address in it is removed';

/** What stays of a name: it cannot be attributed to the person. */
const namesThatStay: Readonly<Record<string, string>> = {
  'scheduled_events.name': byHosts,
  'scheduled_events.join_url': 'the link belongs to the meeting, which stays: only an address in it is removed',
  ...Object.fromEntries(tags.map((tag) => [`invitees.${tag}`, campaign])),
  'invitees.tracking': campaign,
  ...Object.fromEntries(tags.map((tag) => [`routing_form_submissions.${tag}`, campaign])),
  'routing_form_submissions.tracking': campaign,
  ...Object.fromEntries(
    'name slug scheduling_url internal_note description_plain description_html custom_questions locations extra'
      .split(' ')
      .map((name) => [`event_types.${name}`, byHosts]),
  ),
  ...Object.fromEntries(['name', 'questions', 'extra'].map((name) => [`routing_forms.${name}`, byHosts])),
  ...Object.fromEntries(['label', 'options', 'extra'].map((name) => [`custom_field_definitions.${name}`, byHosts])),
  'contacts_wide_columns.label': byHosts,
  'event_log.body': 'the entries have what stays in the rows',
  'event_log.event': 'the name of a kind that this version does not know: only an address in it is removed',
};

/** What stays also where it is the address itself. */
const alwaysStays: Readonly<Record<string, string>> = {
  'contacts_wide_columns.column_name': 'queries use the name of the column',
  'admin_actions.address': 'the record of actions says for 400 days who acted',
};

const worlds = [
  { what: 'an address', written: `Known to ${address}`, stays: alwaysStays },
  { what: 'a name', written: 'Canary Gelbfeder', stays: { ...namesThatStay, ...alwaysStays } },
];

const delivery = (event: string, payload: object) => JSON.stringify({ event, created_at: createdAt, payload });

async function fill(store: Store, people: People): Promise<void> {
  const records = mirrorTables.map((table) => ({
    kind: kindOf[table],
    record: recordOf(table, people),
    observed: createdAt,
  }));
  const speakers = { uri: recordUris.meeting_recaps, created_at: createdAt, speakers: [people.written] };
  await ingestRead(store, [
    ...records,
    { kind: 'meeting_recap_transcript' as const, record: speakers, observed: createdAt },
  ]);
  const contact = recordOf('contacts', people);
  await ingestBodies(store, [
    delivery('contact.updated', { ...contact, city: `${people.written} again`, updated_at: '2025-04-14T11:30:00Z' }),
    delivery(`custom.kind ${people.written}`, {}),
  ]);
  await store.transaction(async (unit) => {
    await insertRows(unit, 'alerts', [
      {
        id: 'alert',
        rule: 'no-show',
        subject_uri: recordUris.invitees,
        state: 'sent',
        channel: 'slack',
        fact: 'marked',
        attempts: 1,
        episode: 1,
        posted: [people.written],
        occurred_at: at,
        due_at: at,
        next_at: at,
        created_at: at,
        updated_at: at,
      },
    ]);
    await insertRows(unit, 'admin_actions', [
      { id: 'action', at, caller: 'slack button', address: people.written, operation: 'confirmAttendance' },
    ]);
  });
}

/** The columns that may hold someone, by `table.column`. */
function columnsWithPeople(): readonly string[] {
  return Object.values<DeclaredTable>(declaredTables).flatMap(({ name, columns }) =>
    Object.entries(columns).flatMap(([column, { holds }]) => (/person|text/.test(holds) ? [`${name}.${column}`] : [])),
  );
}

/** Those in which any row has the person. */
async function columnsNaming(store: Store): Promise<readonly string[]> {
  const found = await Promise.all(tableNames.map(async (table) => namingIn(table, await rowsOf(store, table))));
  return found.flat();
}

/** The link in `location` is judged as the column `join_url`. */
const withoutLink = (key: string, value: unknown): unknown => (key === 'join_url' ? undefined : value);

function namingIn(table: TableName, rows: readonly Readonly<Record<string, Json>>[]): readonly string[] {
  const columns = new Set(
    rows.flatMap((row) => Object.keys(row).filter((name) => trace.test(JSON.stringify(row[name], withoutLink)))),
  );
  return [...columns].map((column) => `${table}.${column}`);
}

describe.each(availableEngines)('the columns after an erasure on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for(worlds)('hold nothing of the person, where they had $what', async ({ written, stays }, { store }) => {
    await fill(store, { address, hostAddress, written });
    const before = await columnsNaming(store);
    // A column that is added is filled by declared-records.ts, or by `fill`.
    expect(before.toSorted()).toEqual([...columnsWithPeople()].toSorted());
    await eraseFrom(store, address, { now: at });
    await eraseFrom(store, recordUris.users, { now: at });
    expect([...(await columnsNaming(store))].toSorted()).toEqual(Object.keys(stays).toSorted());
  });
});
