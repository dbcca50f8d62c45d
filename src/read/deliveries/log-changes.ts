// What entries of the log changed, for those who follow it; and which records were erased.
import type { Json } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import { chunks, inChunks } from '#src/store/prepared-sql.ts';
import { erasureEvent } from '#schemas/events.ts';

export interface LogPage {
  readonly end: number;
  readonly isLast: boolean;
  readonly entries: readonly ChangeEntry[];
}

export interface ChangeEntry {
  readonly seq: number;
  /** The family of its event: `invitee`, `contact`. */
  readonly family: string;
  readonly uri: string;
  /** Whether it may have redacted a contact, whose e-mail addresses are then no longer known. */
  readonly redacts: boolean;
}

export const [erasureFamily = ''] = erasureEvent.split('.');

/** The next entries after an offset that changed anything; their bodies are not read. */
export async function nextLogPage(
  { db }: Readable,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogPage> {
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'event', 'subject_uri', 'outcome'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const entries = rows.flatMap(({ seq, event, subject_uri: uri, outcome }) => {
    if (outcome !== 'applied' || uri === null) return [];
    const [family = '', action] = String(event).split('.');
    const isContactDeleted = family === 'contact' && (action === 'deleted' || action === 'gone');
    return [{ seq, family, uri, redacts: family === erasureFamily || isContactDeleted }];
  });
  return { end: rows.at(-1)?.seq ?? after, isLast: rows.length < limit, entries };
}

interface StoredChange {
  readonly seq: number;
  readonly changes: Json;
  /** Only where it is asked for. */
  readonly body?: string | null | undefined;
}

/** One by one: a caller keeps little of each. */
export async function* changesOfEntries(
  { db, engine }: Readable,
  entries: readonly Pick<ChangeEntry, 'seq'>[],
  { withBodies = false }: { readonly withBodies?: boolean } = {},
): AsyncGenerator<StoredChange> {
  for (const chunk of chunks(entries.map(({ seq }) => seq))) {
    const rows = await db
      .selectFrom('event_log')
      .select(['seq', 'changes'])
      .$if(withBodies, (query) => query.select('body'))
      .where('seq', 'in', chunk)
      .execute();
    for (const { seq, changes, body } of rows) yield { seq, changes: engine.decode('json', changes), body };
  }
}

export async function erasedAmong({ db }: Readable, uris: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await inChunks(uris, (chunk) =>
    db
      .selectFrom('event_log')
      .select('subject_uri')
      .where('subject_uri', 'in', chunk)
      .where('source', '=', 'operator')
      .where('event', '=', erasureEvent)
      .execute(),
  );
  return new Set(rows.map(({ subject_uri: uri }) => String(uri)));
}
