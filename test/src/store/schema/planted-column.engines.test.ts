// A column is added by its declaration and a migration: what follows from the declaration has it at once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { postgresTypes, sqliteTypes } from '#src/store/migrations/storage-types.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Column } from '#src/store/contract.ts';
import { isRequired, recordOf, table, text, type DeclaredRow } from '#src/store/schema/declaration.ts';
import { describedTables } from '#src/store/schema/dictionary.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import { tableTypes } from '../../../../.ci/api-tables.ts';
import { withTables } from '../../../../.ci/tables-page.ts';
import { availableEngines, testWith } from '../../../harness/stores.ts';

const { contacts, ...others } = declaredTables;
const planted = table({
  ...contacts,
  columns: {
    ...contacts.columns,
    salutation: text('how they are addressed', { holds: 'person' }),
    standing: text('how well they are known', { oneOf: ['new', 'regular'] }),
  },
});

describe('a planted column', () => {
  const described = describedTables([planted, ...Object.values(others)]);

  it('is in the documentation, and in the types of rows', () => {
    const page = withTables(readFileSync(join(import.meta.dirname, '../../../../docs/tables.md'), 'utf8'), {
      tables: described,
    });
    expect(page).toContain('| `salutation` | text | how they are addressed |');
    expect(page).toContain('| `standing` | text | how well they are known: `new` or `regular` |');
    const types = tableTypes({ described });
    expect(types).toContain(`  /** how they are addressed */\n  salutation: Values['text'] | null;`);
    expect(types).toContain(`\n  standing: 'new' | 'regular' | null;`);
    expectTypeOf<DeclaredRow<typeof planted>['salutation']>().toEqualTypeOf<string | null>();
    expectTypeOf<DeclaredRow<typeof planted>['standing']>().toEqualTypeOf<'new' | 'regular' | null>();
  });
});

describe.each(availableEngines)('a planted column on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('is written and read', async ({ store }) => {
    const { db, engine } = store;
    const types = engine.name === 'sqlite' ? sqliteTypes : postgresTypes;
    for (const name of ['salutation', 'standing'] as const)
      await sql
        .raw(`alter table ${engine.schema}.contacts add column ${name} ${types[planted.columns[name].kind]}`)
        .execute(db);
    const columns: readonly Column[] = Object.entries(planted.columns).map(([name, { kind }]) => ({
      name,
      kind,
      required: isRequired(planted, name),
    }));
    const row = {
      uri: 'https://api.example.test/contacts/1',
      name: 'Ada',
      salutation: 'Countess',
      standing: 'regular',
    };
    await store.transaction((unit) =>
      engine.insert(unit, [row], { id: 'insert planted', table: planted.name, columns }),
    );
    const { rows } = await sql<StoredColumns>`select * from ${sql.table('contacts')}`.execute(db);
    const read = rows.map((stored) =>
      Object.fromEntries(columns.map(({ name, kind }) => [name, engine.decode(kind, stored[name] ?? null)])),
    );
    expect(read).toEqual([expect.objectContaining(row)]);
    expect(recordOf(planted).parse(read[0])).toMatchObject(row);
  });
});
