// The log entries that touched a row: those about its record, and those about records that embed it.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import type { LogEntry } from './read.ts';
import { decodeRow } from '#src/store/rows.ts';

/** `changes` stays JSON text: most callers need it of few entries. */
export type HistoryEntry = Omit<LogEntry, 'changes'> & { readonly changes: string | null };

/** Rows per query: few at first, because each may have a megabyte or more; then as many as have about `chunkCharacters`. */
const firstChunk = 4;
const largestChunk = 256;
const chunkCharacters = 1024 * 1024;

/** Where rows name the record that their own record embeds. */
export interface EmbeddingColumn {
  readonly within: 'invitees' | 'organization_memberships';
  readonly column: 'event_uri' | 'user_uri';
}

export interface HistoryInput {
  readonly uri: string;
  readonly embeddings: readonly EmbeddingColumn[];
}

/** All entries, in order, a few at a time; other work of this thread can run between two parts. */
export async function* historyOf(store: Store, input: HistoryInput): AsyncGenerator<readonly HistoryEntry[]> {
  let after = 0;
  for (let chunk = firstChunk; ;) {
    const found = await readPart(store, input, { after, limit: chunk });
    yield found;
    if (found.length < chunk) return;
    after = found.at(-1)?.seq ?? after;
    const weight = found.reduce((sum, { body, changes }) => sum + (body?.length ?? 0) + (changes?.length ?? 0), 1);
    chunk = Math.max(1, Math.min(chunk * 2, largestChunk, Math.floor((chunkCharacters * found.length) / weight)));
    await yieldToEventLoop();
  }
}

async function readPart(
  { db, engine }: Store,
  { uri, embeddings }: HistoryInput,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<HistoryEntry[]> {
  // One list of subjects, so that both engines look each up in the index instead of reading the whole log.
  const embedding = embeddings.map(
    ({ within, column }) => sql`union all select uri from ${sql.table(within)} where ${sql.ref(column)} = ${uri}`,
  );
  const subjects = sql<string>`(select cast(${uri} as text) as subject ${sql.join(embedding, sql` `)})`;
  const rows = await db
    .selectFrom('event_log')
    .select(['seq', 'duplicates', 'delivery_id', 'source', 'event', 'subject_uri', 'outcome', 'reason'])
    .select(['body', 'encoding', 'tie', 'occurred_at', 'received_at', 'redacted'])
    .select(sql<string | null>`cast(changes as text)`.as('changes_text'))
    .where('subject_uri', 'in', subjects)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ changes_text: changes, ...row }) => ({
    ...decodeRow(engine, 'event_log', row),
    changes,
  }));
}
