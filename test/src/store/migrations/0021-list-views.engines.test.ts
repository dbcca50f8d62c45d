// A database that has custom fields and answers as tables, brought up to date: what read the tables reads the same from the views.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { StoreEngine } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { engineOf, insertRow, migratedTo } from '../../../harness/mirror/former-database.ts';
import { blankPostgres, ingestBodies, rowsOf, storeEngines } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const contact_uri = `${base}/contacts/1`;
const invitee_uri = `${base}/invitees/1`;
const submission_uri = `${base}/routing_form_submissions/1`;

const sent = {
  contacts: {
    custom_fields: [
      { uri: 'f/b', label: 'Old', value: 1 },
      { uri: 'f/a', label: 'Plan', value: { of: ['gold', null] } },
      { uri: 'f/b', label: 'Seats', value: 12 },
      { uri: 'f/c', label: 'Empty', value: null },
    ],
  },
  invitees: {
    questions_and_answers: [
      { question: 'Why?', answer: 'Because', position: 3 },
      { question: 'How?', answer: '', position: 0 },
    ],
  },
  routing_form_submissions: { questions_and_answers: [{ question_uuid: 'q', question: 'Size', answer: '11–50' }] },
};

const rows = {
  contact_custom_fields: [
    { contact_uri, field_uri: 'f/a', label: 'Plan', value: { of: ['gold', null] } },
    { contact_uri, field_uri: 'f/b', label: 'Seats', value: 12 },
    { contact_uri, field_uri: 'f/c', label: 'Empty', value: null },
  ],
  invitee_answers: [
    { invitee_uri, item: 0, position: 3, question: 'Why?', answer: 'Because' },
    { invitee_uri, item: 1, position: 0, question: 'How?', answer: '' },
  ],
  routing_form_answers: [{ submission_uri, item: 0, question_uuid: 'q', question: 'Size', answer: '11–50' }],
} as const;
const names = ['contact_custom_fields', 'invitee_answers', 'routing_form_answers'] as const;

const delivery = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10.000000Z', payload });
const bodies = [
  delivery('contact.created', { uri: contact_uri, name: 'Ada', ...sent.contacts }),
  delivery('invitee.created', { uri: invitee_uri, ...sent.invitees }),
  delivery('routing_form_submission.created', { uri: submission_uri, ...sent.routing_form_submissions }),
];

/** The database as the version before left it; then what its users added. */
async function makePrevious(url: string, add: (db: StoreEngine['db']) => Promise<unknown>): Promise<void> {
  await using engine = await migratedTo(url, '0020-time-zones');
  const parents = { contacts: contact_uri, invitees: invitee_uri, routing_form_submissions: submission_uri };
  for (const [table, columns] of Object.entries(sent))
    await insertRow(engine, table, { uri: parents[table as keyof typeof parents], ...columns });
  for (const name of names) for (const row of rows[name]) await insertRow(engine, name, row, ['value']);
  await add(engine.db);
}

const nothing = async () => {};
const own = 'create view mine as select contact_uri, label from contact_custom_fields where label is not null';

describe.each(storeEngines)('custom fields and answers as tables on $name', ({ available, blank }) => {
  it.runIf(available)('become views with the same rows, which are not overtaken by later deliveries', async () => {
    await using place = await blank();
    await makePrevious(place.url, nothing);
    const problems: unknown[] = [];
    await using store = await openStore({ report: (problem) => problems.push(problem) }, place.url);
    expect(problems).toEqual([]);
    const keyed = (row: object) => JSON.stringify(Object.values(row).slice(0, 2));
    const found = async (name: (typeof names)[number]) =>
      (await rowsOf(store, name)).toSorted((a, b) => (keyed(a) < keyed(b) ? -1 : 1));
    for (const name of names) expect([name, await found(name)]).toEqual([name, rows[name]]);
    const tables = await store.db.introspection.getTables();
    expect(tables.filter(({ name }) => names.some((each) => name.includes(each))).map(({ isView }) => isView)).toEqual([
      true,
      true,
      true,
    ]);
    await ingestBodies(store, bodies);
    for (const name of names) expect([name, await found(name)]).toEqual([name, rows[name]]);
    expect(await rebuild({ store, screen: privacyScreen({ eraseOnDelete: true }) })).toMatchObject({ rowsDiffered: 0 });
  });

  it.runIf(available)('may be read by a view of the user, which goes on', async () => {
    await using place = await blank();
    await makePrevious(place.url, (db) => sql.raw(own).execute(db));
    await using store = await openStore({ report: () => {} }, place.url);
    const mine = async () => (await sql`select label from mine order by label`.execute(store.db)).rows;
    expect(await mine()).toEqual([{ label: 'Empty' }, { label: 'Plan' }, { label: 'Seats' }]);
    const custom_fields = [{ uri: 'f/b', label: 'Chairs', value: 3 }];
    await ingestBodies(store, [delivery('contact.updated', { uri: contact_uri, custom_fields })]);
    expect(await mine()).toEqual([{ label: 'Chairs' }]);
  });
});

describe.runIf(inject('postgresUrl'))('what users added to these tables on PostgreSQL', () => {
  const role = `reader_${process.pid}`;
  let admin: StoreEngine;
  beforeAll(async () => {
    admin = engineOf((await blankPostgres()).url);
    await sql`create role ${sql.id(role)}`.execute(admin.db);
  });
  afterAll(async () => {
    await sql`drop role ${sql.id(role)}`.execute(admin.db);
    await admin.close();
  });

  it('stays where it can: who may read them, and the options of views that use them', async () => {
    await using place = await blankPostgres();
    await makePrevious(place.url, async (db) => {
      await sql`grant select on contact_custom_fields to ${sql.id(role)} with grant option`.execute(db);
      await sql`grant select on invitee_answers to public`.execute(db);
      await sql.raw(own.replace('mine', 'mine with (security_barrier=true)')).execute(db);
      await sql`create view of_mine as select count(*) as fields from mine`.execute(db);
    });
    await using store = await openStore({ report: () => {} }, place.url);
    const may = (name: string, privilege: string) => sql`has_table_privilege(${role}, ${name}, ${privilege})`;
    const { rows: found } = await sql`select ${may('contact_custom_fields', 'select with grant option')} as fields,
      ${may('invitee_answers', 'select')} as answers, ${may('routing_form_answers', 'select')} as others,
      (select reloptions from pg_class where relname = 'mine') as options, (select fields::int from of_mine) as count`.execute(
      store.db,
    );
    expect(found).toEqual([
      { fields: true, answers: true, others: false, options: ['security_barrier=true'], count: 3 },
    ]);
    await sql`drop owned by ${sql.id(role)}`.execute(store.db);
  });

  it.each([
    ['a materialized view', own.replace('create view', 'create materialized view')],
    ['a policy on rows', 'alter table contact_custom_fields enable row level security'],
  ])('stops the upgrade where it would be lost: %s', async (_what, statement) => {
    await using place = await blankPostgres();
    await makePrevious(place.url, (db) => sql.raw(statement).execute(db));
    await expect(openStore({ report: () => {} }, place.url)).rejects.toThrow(/^The table contact_custom_fields /);
    await using engine = engineOf(place.url);
    const { rows: left } = await sql`select count(*)::int as count from contact_custom_fields`.execute(engine.db);
    expect(left).toEqual([{ count: 3 }]);
  });
});
