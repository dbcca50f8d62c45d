// A database that has custom fields and answers as tables, brought up to date: what read the tables reads the same from the views.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { engineOf, insertRow, migratedTo } from '../../../harness/mirror/former-database.ts';
import { until } from '../../../harness/ports.ts';
import { blankPostgres, blankSqlite, ingestBodies, rowsOf, storeEngines } from '../../../harness/stores.ts';
import { ask } from '../../../oracle/deliveries.ts';

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

it('a foreign key to one of the tables on SQLite stops the upgrade: it would empty the table of the user', async () => {
  await using place = await blankSqlite();
  const note = `create table notes (contact text, field text,
    foreign key (contact, field) references Contact_Custom_Fields (contact_uri, field_uri) on delete cascade)`;
  await makePrevious(place.url, async (db) => {
    await sql.raw(note).execute(db);
    await sql`insert into notes values (${contact_uri}, 'f/a')`.execute(db);
  });
  await expect(openStore({ report: () => {} }, place.url)).rejects.toThrow(
    'The table contact_custom_fields cannot become a view: the table notes has a foreign key to it.',
  );
  await using engine = engineOf(place.url);
  expect((await sql`select * from notes`.execute(engine.db)).rows).toHaveLength(1);
});

describe.runIf(inject('postgresUrl'))('what users added to these tables on PostgreSQL', () => {
  const [reader, former, owner] = ['reader', 'former', 'owner'].map((role) => `${role}_${process.pid}`) as [
    string,
    string,
    string,
  ];
  let admin: StoreEngine;
  beforeAll(async () => {
    admin = engineOf((await blankPostgres()).url);
    for (const role of [reader, former, owner]) await sql`create role ${sql.id(role)}`.execute(admin.db);
  });
  afterAll(async () => {
    for (const role of [reader, former, owner]) await sql`drop role ${sql.id(role)}`.execute(admin.db);
    await admin.close();
  });

  /** Else the roles cannot be dropped. */
  const disown = (store: Store) => {
    const roles = [reader, former, owner].join(', ');
    return sql.raw(`reassign owned by ${roles} to current_user; drop owned by ${roles}`).execute(store.db);
  };
  const may = (role: string, name: string, privilege = 'select') =>
    sql`has_table_privilege(${role}, ${name}, ${privilege})`;

  it('stays where it can: who may read them, their owner, and the options of views that use them', async () => {
    await using place = await blankPostgres();
    await makePrevious(place.url, async (db) => {
      const run = (statement: string) => sql.raw(statement).execute(db);
      await run(`grant select on contact_custom_fields to ${reader} with grant option`);
      await run(`grant select (question, answer) on routing_form_answers to ${reader}`);
      await run('grant select on invitee_answers to public');
      await run(`alter default privileges in schema public grant select on tables to ${former}`);
      await run(`grant usage, create on schema public to ${owner}`);
      await run(`alter table contact_custom_fields owner to ${owner}`);
      await run(own.replace('mine', 'mine with (security_barrier=true)'));
      await run('create view of_mine as select count(*) as fields from mine');
    });
    await using store = await openStore({ report: () => {} }, place.url);
    const { rows: found } =
      await sql`select ${may(reader, 'contact_custom_fields', 'select with grant option')} as fields,
      ${may(reader, 'invitee_answers')} as answers, ${may(reader, 'routing_form_answers')} as others,
      has_column_privilege(${reader}, 'routing_form_answers', 'answer', 'select') as column,
      has_column_privilege(${reader}, 'routing_form_answers', 'item', 'select') as another,
      ${may(former, 'contact_custom_fields')} as by_default,
      (select relowner::regrole::text from pg_class where relname = 'contact_custom_fields') as owner,
      (select reloptions from pg_class where relname = 'mine') as options`.execute(store.db);
    expect(found).toEqual([
      {
        fields: true,
        answers: true,
        others: false,
        column: true,
        another: false,
        by_default: false,
        owner,
        options: ['security_barrier=true'],
      },
    ]);
    await sql.raw(`grant select on contacts to ${owner}`).execute(store.db);
    expect((await sql`select fields::int as count from of_mine`.execute(store.db)).rows).toEqual([{ count: 3 }]);
    await disown(store);
  });

  it('is locked in the order in which its readers lock it', async () => {
    await using place = await blankPostgres();
    await makePrevious(place.url, (db) => sql.raw(own).execute(db));
    const other = new pg.Client({ connectionString: place.url });
    await other.connect();
    await other.query("begin; set local lock_timeout = '300ms'; comment on view mine is 'being read'");
    const opening = openStore({ report: () => {} }, place.url);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => (await ask(place.url, waiting)).length > 0, 'the migration waits for the view');
    // A migration that had locked the table before the view would wait for this transaction, and this one for the migration.
    expect((await other.query('select * from contact_custom_fields')).rows).toHaveLength(3);
    await other.query('commit');
    await other.end();
    await using store = await opening;
    expect((await sql`select * from mine`.execute(store.db)).rows).toHaveLength(3);
  });

  it.each([
    [
      'a materialized view',
      own.replace('create view', 'create materialized view'),
      'materialized view mine depends on',
    ],
    ['a policy on rows', 'alter table contact_custom_fields enable row level security', 'row level security'],
    ['a publication', 'create publication mine for table contact_custom_fields', 'the publication mine'],
    ['a column', 'alter table contact_custom_fields add column mine text', 'the column mine'],
  ])('stops the upgrade where it would be lost: %s', async (_what, statement, reason) => {
    await using place = await blankPostgres();
    await makePrevious(place.url, (db) => sql.raw(statement).execute(db));
    const opening = openStore({ report: () => {} }, place.url);
    await expect(opening).rejects.toThrow(/^The table contact_custom_fields cannot become a view: /);
    await expect(opening).rejects.toThrow(reason);
    await using engine = engineOf(place.url);
    const { rows: left } = await sql`select count(*)::int as count from contact_custom_fields`.execute(engine.db);
    expect(left).toEqual([{ count: 3 }]);
  });
});
