// How far named readers of the log have come, kept for them in the store. Names with a colon are our own (`sink:webhook`,
// `export:contacts`): those that users give cannot have one, so the two never meet.
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, deleteRows, writeRows } from '#src/store/rows.ts';

export interface FeedPosition {
  readonly name: string;
  /** The last entry it is done with. */
  readonly position: number;
  readonly updatedAt: string;
}

/** Undefined where nobody of this name has said anything yet. */
export async function readPosition(from: Store | Unit, name: string): Promise<number | undefined> {
  const row = await from.db.selectFrom('feed_consumers').select('position').where('name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : row.position;
}

/** Forward only: of two who tell at once, the one who has come further is believed. Made where there is none. */
export async function advancePosition(
  { db, engine }: Unit,
  { name, position, updatedAt }: FeedPosition,
): Promise<void> {
  await db
    .insertInto('feed_consumers')
    .values({ name, position, updated_at: engine.encode('time', updatedAt) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({ position: ref('excluded.position'), updated_at: ref('excluded.updated_at') }))
        .whereRef('feed_consumers.position', '<', 'excluded.position'),
    )
    .execute();
}

/** Wherever it stood: back, on purpose. */
export function placePosition(unit: Unit, { name, position, updatedAt }: FeedPosition): Promise<void> {
  return writeRows(unit, 'feed_consumers', [{ name, position, updated_at: updatedAt }]);
}

/** All, by name. */
export async function listPositions(from: Store | Unit): Promise<readonly FeedPosition[]> {
  const rows = await from.db.selectFrom('feed_consumers').selectAll().execute();
  return rows
    .map((row) => {
      const { name, position, updated_at } = decodeRow(from.engine, 'feed_consumers', row);
      return { name: name, position: position, updatedAt: updated_at };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function removePosition(unit: Unit, name: string): Promise<void> {
  return deleteRows(unit, 'feed_consumers', 'name', [name]);
}
