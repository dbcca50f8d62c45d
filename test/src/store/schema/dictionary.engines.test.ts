// Every table, view and column has a meaning: in the documentation, and as a comment in PostgreSQL.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { tables } from '#src/store/schema/tables.ts';
import { viewsFor } from '#src/store/views/views.ts';
import { withRights } from '../../../../.ci/read-only-role.ts';
import { withTables, withViews } from '../../../../.ci/tables-page.ts';
import { freshPostgres, testWith } from '../../../harness/stores.ts';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

describe('the dictionary of tables', () => {
  it('is what the documentation shows', () => {
    expect(withTables(page('tables.md')), 'docs/tables.md is out of date: run `npm run tables`').toBe(
      page('tables.md'),
    );
    const role = page('examples/read-only-role.sql');
    expect(withRights(role), 'docs/examples/read-only-role.sql is out of date: run `npm run tables`').toBe(role);
    expect(withViews(page('views.md')), 'docs/views.md is out of date: run `npm run tables`').toBe(page('views.md'));
  });
});

describe.runIf(inject('postgresUrl') !== '')('the comments in PostgreSQL', () => {
  const it = testWith(freshPostgres);

  it('say what every table, view and column means', async ({ opened }) => {
    const { rows } = await sql<{ relation: string; column: string | null; comment: string | null }>`
      select relname::text as relation, attname::text as "column", case when attname is null
        then obj_description(pg_class.oid, 'pg_class') else col_description(pg_class.oid, attnum) end as comment
      from pg_class left join lateral (select attname, attnum from pg_attribute where attrelid = pg_class.oid and attnum > 0
        and not attisdropped union all select null, 0) as columns on true
      where relnamespace = to_regnamespace('slotstream') and relkind in ('r', 'v')
        and relname not like 'kysely%'`.execute(opened.store.db);
    const names = [...Object.keys(tables), ...viewsFor([]).map(({ name }) => name)];
    expect([...new Set(rows.map(({ relation }) => relation))].toSorted()).toEqual(names.toSorted());
    expect(rows.filter(({ comment }) => !comment)).toEqual([]);
    const commentOn = (relation: string, column: string | null) =>
      rows.find((row) => row.relation === relation && row.column === column)?.comment;
    expect(commentOn('invitees', 'event_uri')).toBe('the meeting (scheduled_events.uri)');
    expect(commentOn('bookings', 'moves')).toBe('how many times it was rescheduled');
    expect(commentOn('event_log', 'outcome')).toBe(
      'effect on the tables: `applied`, `unchanged`, `superseded`, `tombstoned`, `quarantined` or `unhandled`; see The log',
    );
  });

  it('are written again when their text has changed, while other transactions write, and otherwise left alone', async ({
    opened,
    store,
  }) => {
    const { url } = opened;
    const transactionOfComment = async () => {
      const { rows } = await sql<{ xmin: string }>`select xmin::text as xmin from pg_description
        where objoid = 'slotstream.event_log'::regclass and objsubid = 0`.execute(store.db);
      return rows[0]?.xmin;
    };
    const written = await transactionOfComment();
    await (await openStore({ report: () => {} }, url))[Symbol.asyncDispose]();
    expect(await transactionOfComment()).toBe(written);

    await sql`comment on table ${sql.table('event_log')} is 'an older text'`.execute(store.db);
    await sql`comment on column ${sql.id(store.engine.schema, 'contacts', 'name')} is null`.execute(store.db);
    await store.transaction(async ({ db }) => {
      await sql`insert into ${sql.table('contacts')} (uri) values ('https://api.example.test/contacts/1')`.execute(db);
      await sql`lock table ${sql.table('event_log')} in row exclusive mode`.execute(db);
      await (await openStore({ report: () => {} }, url))[Symbol.asyncDispose]();
    });
    const { rows } = await sql<{
      comment: string;
    }>`select col_description('slotstream.contacts'::regclass, attnum) as comment
      from pg_attribute where attrelid = 'slotstream.contacts'::regclass and attname = 'name'`.execute(store.db);
    expect(rows).toEqual([{ comment: 'full name' }]);
  });
});
