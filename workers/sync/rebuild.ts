// Rebuilds every mirrored table from the log in shadow tables and applies the difference in one transaction: users' own views and
// grants survive, and readers never see a partial table. In a correct mirror no row differs.
//
//   shadow ← the log so far            (writers continue)
//   ┌ transaction: writers wait
//   │ shadow ← what arrived meanwhile, and what was observed again meanwhile
//   │ live   ← delete extra, insert missing, update different
//   └ commit
import { setImmediate } from 'node:timers/promises';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import type { TableShape } from '#src/store/columns.ts';
import type { Unit } from '#src/store/contract.ts';
import { entriesToFold, lastSeq, type FoldedEntry } from '#src/store/log/read.ts';
import { dropObservedTimes, recordObservedTimes, entriesObservedSince } from '#src/store/log/observed-times.ts';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { retryContention } from '#src/store/open-store.ts';
import { tables, type Database, type TableName } from '#src/store/schema/tables.ts';
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { factIn, isUnprojected } from '#workers/fold/pipeline/parse.ts';
import { emptyWorkspace } from '#workers/fold/pipeline/row-workspace.ts';
import { childTables } from '#workers/fold/projections/child-rows.ts';
import { mirrorTables, type Fact } from '#workers/fold/projections/contract.ts';
import { mergeUnrecorded } from '#workers/fold/projections/merge.ts';

export interface RebuildNeeds extends FoldNeeds {
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

const rebuiltTables: readonly TableName[] = [
  ...mirrorTables,
  ...childTables.map(({ table }) => table),
  'booking_invitees',
];
const pageSize = 1_000;
/** In characters. */
const mostText = 4_000_000;
/** Rows are written when so many are in memory, or when so much text was read: those that many entries are about are then written less often. */
const mostRows = 4_096;
const mostTextOfRows = 16_000_000;
const parsedAtOnce = 64;

export async function rebuild(needs: RebuildNeeds): Promise<RebuildReport> {
  if (needs.store.engine.isPooled()) throw needsDirectConnection();
  let report = await rebuildTables(needs);
  // A person was erased meanwhile and may appear in the shadow tables, or they were filled by other settings.
  while (report === undefined) report = await rebuildTables(needs);
  // Custom fields are columns of a view.
  await needs.store.refreshViews();
  return report;
}

/** Its temporary tables would stay on a connection of the pooler, where they hide the live tables from others. */
function needsDirectConnection(): SlotstreamError {
  return new SlotstreamError(
    'config',
    'A rebuild needs a direct connection, and DATABASE_URL leads through a pooler.',
    {
      hint: 'Run it with DATABASE_URL set to the address of PostgreSQL itself.',
    },
  );
}

/** Returns undefined when a person was erased or the settings changed meanwhile. */
function rebuildTables(needs: RebuildNeeds): Promise<RebuildReport | undefined> {
  const { store, screen } = needs;
  const { engine } = store;
  return store.db.connection().execute(async (connection) => {
    const schemas = { live: engine.schema, shadow: engine.shadowSchema };
    try {
      await engine.makeShadow(connection, rebuiltTables);
      const version = await screen.version({ db: connection, engine });
      const soFar = await lastSeq({ db: connection, engine });
      await recordObservedTimes(connection, soFar);
      const before = await foldRange(needs, { db: connection, engine }, { from: 0, upTo: soFar, counted: 0 });
      await engine.finishShadow(connection, rebuiltTables);
      // Only this part blocks writers; it is retried after a lock conflict.
      const applied = await retryContention(() =>
        connection.transaction().execute(async (db) => {
          await engine.lockTables(db, mirrorTables);
          if ((await screen.version({ db, engine })) !== version) return undefined;
          const upTo = await lastSeq({ db, engine });
          const entries = await foldRange(needs, { db, engine }, { from: soFar, upTo, counted: before });
          await foldPages(needs, { db, engine }, (after) =>
            entriesObservedSince({ db, engine }, { after, limit: pageSize }),
          );
          await fillBookingInvitees(shadowOf({ db, engine }));
          const differences: Record<string, Difference> = {};
          for (const table of rebuiltTables) differences[table] = await applyDifference(db, table, schemas);
          return { entries, differences };
        }),
      );
      if (applied === undefined) return undefined;
      const { entries, differences } = applied;
      const counts = Object.values(differences).map(({ missing, extra, different }) => missing + extra + different);
      return { entries, rowsDiffered: counts.reduce((sum, count) => sum + count, 0), tables: differences };
    } finally {
      await dropObservedTimes(connection);
      await engine.dropShadow(connection, rebuiltTables);
    }
  });
}

interface LogRange {
  readonly from: number;
  readonly upTo: number;
  /** Entries folded before. */
  readonly counted: number;
}

/** Folds a range of the log into the shadow tables. Returns how many entries are folded so far. */
async function foldRange(needs: RebuildNeeds, live: Unit, { from, upTo, counted }: LogRange): Promise<number> {
  let entries = counted;
  let limit = 1;
  await foldPages(needs, live, async (after) => {
    const page = await entriesToFold(live, { after: Math.max(after, from), upTo, limit });
    entries += page.length;
    limit = nextLimit(page);
    if (page.length > 0) needs.onProgress?.(entries);
    return page;
  });
  return entries;
}

/** How many entries to read after this page: twice as many, fewer when they were long. */
function nextLimit(page: readonly FoldedEntry[]): number {
  const text = textOf(page) + 1;
  return Math.max(1, Math.min(pageSize, 2 * page.length, Math.floor((mostText / text) * page.length)));
}

const textOf = (page: readonly FoldedEntry[]): number => page.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);

/** Folds page after page into the shadow tables, until a page is empty. */
async function foldPages(
  { screen }: RebuildNeeds,
  live: Unit,
  pageAfter: (seq: number) => Promise<readonly FoldedEntry[]>,
): Promise<void> {
  const { db, engine } = live;
  const shadow = shadowOf(live);
  const read = async (after: number) => factsOf(await pageAfter(after));
  let rows = emptyWorkspace(shadow);
  const write = () =>
    engine.writeShadow(db, async () => {
      await rows.create();
      await rows.write();
    });
  let text = 0;
  for (let page = await read(0); page.last !== undefined;) {
    await rows.open(page.facts);
    for (const fact of page.facts) mergeUnrecorded(rows.row, fact, screen);
    const following = read(page.last);
    text += page.text;
    if (rows.size() >= mostRows || text >= mostTextOfRows) {
      // PostgreSQL writes while the next page is parsed.
      await whenBothEnd(write(), following);
      rows = emptyWorkspace(shadow);
      text = 0;
    }
    page = await following;
  }
  await write();
}

function shadowOf({ db, engine }: Unit): Unit {
  const schema = engine.shadowSchema;
  return { db: db.withSchema(schema), engine, schema };
}

interface FactPage {
  readonly facts: readonly Fact[];
  /** The offset of its last entry; undefined of an empty page. */
  readonly last: number | undefined;
  /** The length of its bodies. */
  readonly text: number;
}

async function factsOf(page: readonly FoldedEntry[]): Promise<FactPage> {
  const facts: Fact[] = [];
  for (const [index, entry] of page.entries()) {
    // Between parts of the page, statements that wait for their turn are sent.
    if (index % parsedAtOnce === 0) await setImmediate();
    // A quarantined entry is left out, even where it could be parsed today: only `replay` projects it.
    const fact = isUnprojected(entry) ? null : factIn(entry);
    if (fact !== null) facts.push(fact);
  }
  return { facts, last: page.at(-1)?.seq, text: textOf(page) };
}

/** Fails with the first error, but not before both have ended: they use the same connection. */
async function whenBothEnd(one: Promise<unknown>, other: Promise<unknown>): Promise<void> {
  await Promise.allSettled([one, other]);
  await Promise.all([one, other]);
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
