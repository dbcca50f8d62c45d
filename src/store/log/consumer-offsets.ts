// The offsets of named consumers of the log. Names with a colon belong to the program (`sink:webhook`, `export:contacts`); names that
// users choose cannot contain one, so the two never collide.
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq } from './read.ts';
import { decodeRow, deleteRows, writeRows } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

/** `position` is the last entry that the consumer has processed. */
export type FeedPosition = Readonly<TableRow<'feed_consumers'>>;

/** Undefined where there is no consumer of this name yet. */
export async function readPosition(from: Store | Unit, name: string): Promise<number | undefined> {
  const row = await from.db.selectFrom('feed_consumers').select('position').where('name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : row.position;
}

/** As `readPosition`, and locks the offset: of two consumers at once, the second sees what the first has done. */
export async function lockPosition({ db, engine }: Unit, name: string): Promise<number | undefined> {
  const query = db.selectFrom('feed_consumers').select('position').where('name', '=', name);
  return (await (engine.manyWriters ? query.forUpdate() : query).executeTakeFirst())?.position;
}

/** Moves the offset forward only, so that the furthest of concurrent calls wins. Creates a missing consumer. */
export async function advancePosition({ db }: Unit, consumer: FeedPosition): Promise<void> {
  await db
    .insertInto('feed_consumers')
    .values(consumer)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({ position: ref('excluded.position'), updated_at: ref('excluded.updated_at') }))
        .whereRef('feed_consumers.position', '<', 'excluded.position'),
    )
    .execute();
}

/** Sets the offset, also backwards. */
export function setPosition(unit: Unit, consumer: FeedPosition): Promise<void> {
  return writeRows(unit, 'feed_consumers', [consumer]);
}

/** Every consumer, by name. */
export async function listPositions(from: Store | Unit): Promise<readonly FeedPosition[]> {
  const rows = await from.db.selectFrom('feed_consumers').selectAll().execute();
  return rows
    .map((row) => decodeRow(from.engine, 'feed_consumers', row))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** How many entries the consumers that users named are behind the end of the log. */
export async function consumersBehind(from: Store | Unit): Promise<readonly (FeedPosition & { behind: number })[]> {
  const last = await lastSeq(from);
  const named = (await listPositions(from)).filter(({ name }) => !name.includes(':'));
  return named.map((each) => ({ ...each, behind: Math.max(0, last - each.position) }));
}

/** Those that name entries which the log does not have yet, of users and of the program; and where the log ends. */
export async function positionsAhead(
  from: Store | Unit,
): Promise<{ readonly table: string; readonly end: number; readonly positions: readonly FeedPosition[] }> {
  const positions = await listPositions(from);
  // Read after them: it only grows.
  const end = await lastSeq(from);
  const table = `${from.engine.schema}.feed_consumers`;
  return { table, end, positions: positions.filter(({ position }) => position > end) };
}

export function removePosition(unit: Unit, name: string): Promise<void> {
  return deleteRows(unit, 'feed_consumers', 'name', [name]);
}
