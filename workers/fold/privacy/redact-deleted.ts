// Redacts deleted contacts. The merge blanks the row; here every log entry about the contact is reduced to a stub, so that neither
// replay nor rebuild can restore it.
import type { Unit } from '#src/store/contract.ts';
import { redactEntry } from '#src/store/log/append.ts';
import { deletedContacts, entriesAbout, unparsedNaming, type NewEntry } from '#src/store/log/read.ts';
import { isApiRead, parseText, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { RowWorkspace } from '#workers/fold/pipeline/row-workspace.ts';
import { isBlanked, type MergeOptions } from '#workers/fold/projections/merge.ts';

interface FoldedBatch {
  readonly rows: RowWorkspace;
  readonly items: readonly ParsedItem[];
}

/** The contacts of a batch whose rows are blanked. Those of entries that could not be parsed are looked up. */
export async function blankedContacts(
  unit: Unit,
  { rows, items }: FoldedBatch,
  options: MergeOptions,
): Promise<ReadonlySet<string>> {
  const blanked = new Set<string>();
  for (const [uri, { row }] of rows.all('contacts')) if (isBlanked('contacts', row, options)) blanked.add(uri);
  if (!options.eraseOnDelete) return blanked;
  const unparsed = items.flatMap(({ fact, entry }) =>
    fact === null && entry.subject_uri !== null ? [entry.subject_uri] : [],
  );
  for (const uri of await deletedContacts(unit, unparsed)) blanked.add(uri);
  return blanked;
}

/** The contacts that these facts delete. A repeated delete is redacted again: the first may have found nothing to redact. */
export function contactsDeletedBy(items: readonly ParsedItem[], { eraseOnDelete }: MergeOptions): string[] {
  if (!eraseOnDelete) return [];
  return items.flatMap(({ fact }) => (fact?.tombstone?.table === 'contacts' ? [fact.tombstone.uri] : []));
}

/** Reduces every entry that the log holds about these subjects to a stub. */
export async function redactEntriesAbout(unit: Unit, uris: readonly string[]): Promise<void> {
  if (uris.length === 0) return;
  await unit.engine.noteRedaction(unit.db);
  for (const entry of await entriesAbout(unit, uris)) {
    const { record } = parseText(entry.body ?? '', entry);
    const stub = redactedBody(entry, record);
    if (stub !== entry.body || !entry.redacted) await redactEntry(unit, entry.seq, stub);
  }
  for (const uri of uris) {
    for (const entry of await unparsedNaming(unit, uri)) await redactEntry(unit, entry.seq, redactedBody(entry, null));
  }
}

export function redactedEntry(entry: NewEntry, record: ParsedItem['record']): NewEntry {
  // An entry that was emptied stays empty.
  const body = entry.body === null ? null : redactedBody(entry, record);
  return { ...entry, body, encoding: null, changes: null, redacted: true };
}

type EntryIdentity = Pick<NewEntry, 'source' | 'event' | 'occurred_at' | 'subject_uri'>;

const retainedTimes = ['created_at', 'updated_at', 'deleted_at'] as const;

/** A body that proves that the entry existed, without personal data: its kind, its subject and its times. */
export function redactedBody(entry: EntryIdentity, record: ParsedItem['record']): string {
  const payload: Record<string, unknown> = { uri: entry.subject_uri };
  for (const key of retainedTimes) if (typeof record?.[key] === 'string') payload[key] = record[key];
  // An API read stores its time in the entry alone: it moves when the same content is read again.
  return JSON.stringify({ event: entry.event, created_at: isApiRead(entry) ? null : entry.occurred_at, payload });
}
