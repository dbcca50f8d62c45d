// Makes every mirrored table again from the log, beside the live ones, and applies the difference in one transaction:
// users' own views and grants survive, readers never see a half-made table. None differ when all is well.
//
//   shadow ← the log so far            (writers go on)
//   ┌ transaction: writers wait
//   │ shadow ← what came meanwhile
//   │ live   ← delete extra, insert missing, update different
//   └ commit
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { TableShape } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, readEntries } from '#src/store/log.ts';
import { tables, type Database, type TableName } from '#src/store/tables.ts';
import { openMirror } from '../mirror.ts';
import { children } from '../projections/children.ts';
import { mirrorTables } from '../projections/contract.ts';
import { join, type JoinOptions } from '../projections/join.ts';
import { readAgain } from './replay.ts';

export interface RebuildNeeds {
  readonly store: Store;
  readonly options: JoinOptions;
  readonly onProgress?: (entries: number) => void;
}

export interface Difference {
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
}

export interface RebuildReport {
  readonly entries: number;
  readonly rowsDiffered: number;
  readonly tables: Readonly<Record<string, Difference>>;
}

const rebuilt: readonly TableName[] = [...mirrorTables, ...children.map(({ table }) => table)];
const pageSize = 500;

export function rebuild({ store, options, onProgress }: RebuildNeeds): Promise<RebuildReport> {
  const { engine } = store;
  return store.db.connection().execute(async (connection) => {
    const live = await engine.liveSchema(connection);
    for (const table of rebuilt) await engine.makeShadow(connection, table);
    try {
      let entries = 0;
      const fold = async (db: Kysely<Database>, from: number, upTo: number) => {
        const shadow: Unit = { db: db.withSchema(engine.shadowSchema), engine, schema: engine.shadowSchema };
        for (let after = from; after < upTo;) {
          const page = await readEntries({ db, engine }, { upTo }, { after, limit: pageSize });
          if (page.length === 0) break;
          const facts = page.flatMap((entry) => readAgain(entry).compiled ?? []);
          const mirror = await openMirror(shadow, facts);
          for (const compiled of facts) join(mirror.rows, compiled, options);
          await mirror.write();
          after = page.at(-1)?.seq as number;
          entries += page.length;
          onProgress?.(entries);
        }
      };
      const soFar = await lastSeq({ db: connection, engine });
      await fold(connection, 0, soFar);
      const differences = await connection.transaction().execute(async (db) => {
        await engine.lockTables(db, mirrorTables);
        await fold(db, soFar, await lastSeq({ db, engine }));
        const found: Record<string, Difference> = {};
        for (const table of rebuilt)
          found[table] = await applyDifference(db, table, { live, shadow: engine.shadowSchema });
        return found;
      });
      const rowsDiffered = Object.values(differences).reduce(
        (sum, { missing, extra, different }) => sum + missing + extra + different,
        0,
      );
      return { entries, rowsDiffered, tables: differences };
    } finally {
      for (const table of rebuilt)
        await sql`drop table if exists ${sql.id(engine.shadowSchema, table)}`.execute(connection);
    }
  });
}

async function applyDifference(
  db: Kysely<Database>,
  table: TableName,
  schemas: { live: string; shadow: string },
): Promise<Difference> {
  const { key, columns } = tables[table] as TableShape;
  const names = Object.keys(columns);
  const live = sql.id(schemas.live, table);
  const shadow = sql.id(schemas.shadow, table);
  const columnsOf = (of: readonly string[], as: (name: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    of.map((name) => as(sql`${sql.id(name)}`));
  const others = names.filter((name) => !key.includes(name));
  const sameKey = sql.join(
    columnsOf(key, (name) => sql`old.${name} = new.${name}`),
    sql` and `,
  );
  const differs = sql.join(
    columnsOf(others, (name) => sql`old.${name} is distinct from new.${name}`),
    sql` or `,
  );
  const values = sql.join(columnsOf(others, (name) => sql`${name} = new.${name}`));
  const list = sql.join(columnsOf(names, (name) => name));

  const count = async (statement: RawBuilder<unknown>) => Number((await statement.execute(db)).numAffectedRows ?? 0);
  const extra = await count(
    sql`delete from ${live} as old where not exists (select 1 from ${shadow} as new where ${sameKey})`,
  );
  const different = await count(
    sql`update ${live} as old set ${values} from ${shadow} as new where ${sameKey} and (${differs})`,
  );
  const missing = await count(
    sql`insert into ${live} (${list}) select ${list} from ${shadow} as new where not exists (select 1 from ${live} as old where ${sameKey})`,
  );
  return { missing, extra, different };
}
