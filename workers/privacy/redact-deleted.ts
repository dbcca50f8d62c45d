// Forgetting a deleted contact: its row is blanked by the join; here every log entry about it becomes a stub, so that
// nothing comes back by replay or rebuild.
import type { Unit } from '#src/store/contract.ts';
import { deletedContacts, entriesAbout, redactEntry, unreadableNaming, type NewEntry } from '#src/store/log/log.ts';
import type { Mirror } from '#workers/pipeline/row-workspace.ts';
import { isForgotten, type JoinOptions } from '#workers/projections/merge.ts';
import { stubOf } from '#workers/projections/redacted-body.ts';
import { isRead, readText, type Reading } from '#workers/pipeline/parse.ts';
import { dropStagedPages } from '#workers/sync/checkpoints.ts';

export interface Batch {
  readonly mirror: Mirror;
  readonly readings: readonly Reading[];
  readonly options: JoinOptions;
}

/** Whom a batch speaks about although they are to be forgotten: known from their rows; where a delivery could not be read, looked up. */
export async function forgottenAmong(unit: Unit, { mirror, readings, options }: Batch): Promise<Set<string>> {
  const forgotten = new Set<string>();
  for (const [uri, { row }] of mirror.all('contacts')) if (isForgotten('contacts', row, options)) forgotten.add(uri);
  if (!options.eraseOnDelete) return forgotten;
  const unreadable = readings.flatMap(({ compiled, entry }) =>
    compiled === null && entry.subject_uri !== null ? [entry.subject_uri] : [],
  );
  for (const uri of await deletedContacts(unit, unreadable)) forgotten.add(uri);
  return forgotten;
}

/** The contacts whose delete these facts tell. Told again, it is forgotten again: an earlier telling may have found nothing to do. */
export function buriedBy(readings: readonly Reading[], { eraseOnDelete }: JoinOptions): string[] {
  if (!eraseOnDelete) return [];
  return readings.flatMap(({ compiled }) =>
    compiled?.tombstone?.table === 'contacts' ? [compiled.tombstone.uri] : [],
  );
}

/** Turns every entry about these subjects that the log already holds into a stub. */
export async function forget(unit: Unit, uris: readonly string[]): Promise<void> {
  if (uris.length === 0) return;
  await unit.engine.noteForgotten(unit.db);
  await dropStagedPages(unit);
  for (const entry of await entriesAbout(unit, uris)) {
    const { record } = readText(entry.body ?? '', entry);
    const kept = stub(entry, record);
    if (kept !== entry.body) await redactEntry(unit, entry.seq as number, kept);
  }
  for (const uri of uris) {
    for (const entry of await unreadableNaming(unit, uri))
      await redactEntry(unit, entry.seq as number, stub(entry, null));
  }
}

export function redacted<Entry extends NewEntry>(entry: Entry, record: Reading['record']): Entry {
  // What was emptied already stays so.
  const body = entry.body === null ? null : stub(entry, record);
  return { ...entry, body, encoding: null, changes: null, redacted: true };
}

function stub(entry: NewEntry, record: Reading['record']): string {
  // When a read was last observed stands in the entry alone: it moves when the same content is read again.
  const occurredAt = isRead(entry) ? null : entry.occurred_at;
  return stubOf({ event: entry.event, occurredAt, uri: entry.subject_uri, record });
}
