// Explains a row: every delivery and every read that touched it, and which entry supplied the value of each column.
import { canonicalJson } from '#schemas/wire.ts';
import { isCreated } from '#src/base/changed-items.ts';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { historyOf, type HistoryEntry } from '#src/store/log/row-history.ts';
import { rowsByUri } from '#src/store/record-search.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { changesFromNothing, type Changes } from '#workers/fold/projections/merge.ts';
import { originsOf, type Origin, type Row } from '#workers/fold/projections/field-origins.ts';
import { reparse } from '#workers/fold/pipeline/parse.ts';
import { embeddings, rowsTouchedBy } from '#workers/fold/projections/touches.ts';

export type TouchingEntry = Readonly<ReturnType<typeof touchingEntry>>;
export type ColumnOrigin = Readonly<ReturnType<typeof columnsOf>[number]>;

export interface Explanation {
  readonly uri: string;
  /** Null when the log has entries about it but no row exists: none of them could be projected. */
  readonly table: MirrorTable | null;
  readonly deleted: boolean;
  readonly deliveries: readonly TouchingEntry[];
  /** Where to continue when there are more deliveries. */
  readonly next_after: number | null;
  readonly fields: readonly ColumnOrigin[];
}

export interface Question {
  readonly uri: string;
  /** Applies to deliveries; all fields are always returned. */
  readonly after: number;
  readonly limit: number;
}

/** An answer ends early when the changes of its deliveries reach this size. */
const fullAnswerCharacters = 4 * 1024 * 1024;
const mostTries = 3;

/** Undefined when neither the log nor a table has the URI. */
export async function explain(store: Store, question: Question): Promise<Explanation | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await findRow(store, question.uri);
    const history = await readHistory(store, question, found);
    // An entry that arrived meanwhile may have decided a field after its position was passed.
    const isSettled = canonicalJson(found ?? null) === canonicalJson((await findRow(store, question.uri)) ?? null);
    if (!isSettled && attempt < mostTries) continue;
    if (found === undefined && history.deliveries.length === 0 && question.after === 0) return undefined;
    return {
      uri: question.uri,
      table: found?.table ?? null,
      deleted: (found?.row['deleted_at'] ?? null) !== null,
      ...history,
    };
  }
}

interface FoundRow {
  readonly table: MirrorTable;
  readonly row: Row;
}

async function findRow(store: Store, uri: string): Promise<FoundRow | undefined> {
  for (const table of mirrorTables) {
    const [row] = await rowsByUri(store, table, [uri]);
    if (row !== undefined) return { table, row };
  }
  return undefined;
}

/** Reads the whole history in parts, so that memory does not grow with the number of entries. */
async function readHistory(
  store: Store,
  { uri, after, limit }: Question,
  found: FoundRow | undefined,
): Promise<Pick<Explanation, 'deliveries' | 'next_after' | 'fields'>> {
  const origins = found ? originsOf(found.table, found.row) : [];
  const suppliers = new Map<Origin, Supplier>();
  const setters = new Map<string, Supplier>();
  const deliveries: TouchingEntry[] = [];
  let weight = 0;
  let hasMore = false;
  for await (const part of historyOf(store, { uri, embeddings })) {
    for (const entry of part) {
      const { fact } = reparse({ ...entry, changes: null });
      const isTouching = touches(uri, entry, fact);
      const changes = isTouching ? entry.changes : null;
      // No entry after the supplier of a value has changed it.
      const undecided = origins.filter((origin) => !suppliers.has(origin));
      if (found && fact && isTouching)
        noteSetters(setters, { found, undecided, entry, changes: changes === null ? {} : parseChanges(changes), fact });
      // Of several entries with the same fact, the first one supplied it.
      for (const origin of undecided) if (fact && origin.isIn(fact)) suppliers.set(origin, supplierOf(entry));
      if (entry.seq <= after || !isTouching) continue;
      hasMore ||= deliveries.length === limit || weight >= fullAnswerCharacters;
      if (hasMore) continue;
      deliveries.push(touchingEntry({ ...entry, changes }));
      weight += (changes ?? '').length;
    }
    // Everything that was asked for is found.
    if (hasMore && suppliers.size === origins.length) break;
  }
  const next_after = hasMore ? (deliveries.at(-1)?.seq ?? null) : null;
  const fields = origins.flatMap((origin) =>
    columnsOf(found?.row ?? {}, origin, { supplier: suppliers.get(origin), setters }),
  );
  return { deliveries, next_after, fields };
}

type Supplier = ReturnType<typeof supplierOf>;

/** Without the content, which may be large. */
const supplierOf = ({ seq, event, source, occurred_at }: HistoryEntry) => ({ seq, event, source, occurred_at });

interface NotedChange {
  readonly found: FoundRow;
  readonly undecided: readonly Origin[];
  readonly entry: HistoryEntry;
  readonly changes: Changes;
  readonly fact: Fact;
}

/** Notes for each column the entry that set its present value; later entries may only have repeated it. */
function noteSetters(
  setters: Map<string, Supplier>,
  { found: { table, row }, undecided, entry, changes, fact }: NotedChange,
): void {
  const stored = changes[table];
  const given = changesFromNothing(fact, table);
  const changed = isCreated(stored) ? given : stored;
  for (const column of undecided.flatMap(({ columns }) => columns)) {
    const value = row[column] ?? null;
    const change = changed?.[column];
    // A column that has never had a value has been empty since the first entry.
    // A long value is stored by its length only; the fact has it.
    const after = given[column]?.[1] ?? change?.[1] ?? null;
    const isSet = change === undefined ? value === null && !setters.has(column) : isEqual(after, value);
    if (isSet) setters.set(column, supplierOf(entry));
    else if (change !== undefined) setters.delete(column);
  }
}

const isEqual = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

/** An entry about an invitee touches the event only where its payload embeds it. What an unparsed entry touches is unknown. */
function touches(uri: string, { subject_uri }: HistoryEntry, fact: Fact | null): boolean {
  return subject_uri === uri || fact === null || rowsTouchedBy(fact).some((row) => row.uri === uri);
}

const parseChanges = (text: string): Changes => JSON.parse(text);

function touchingEntry(entry: HistoryEntry) {
  const { seq, event, source, occurred_at, received_at, outcome, reason, duplicates, redacted, changes } = entry;
  const delayMs = source === 'webhook' ? Date.parse(received_at) - Date.parse(occurred_at ?? '') : NaN;
  return {
    seq,
    event,
    source,
    occurred_at,
    received_at,
    outcome,
    reason,
    duplicates,
    /** How long the delivery took; null for API reads. */
    delay_seconds: Number.isNaN(delayMs) ? null : delayMs / 1000,
    /** Some or all of its content is removed: it was redacted, or (`pruned`) it was old and decided no value. */
    redacted,
    pruned: entry.body === null,
    changes: changes === null ? null : parseChanges(changes),
  };
}

interface ValueEntries {
  readonly supplier: Supplier | undefined;
  readonly setters: ReadonlyMap<string, Supplier>;
}

/** The entry that supplied the values last, its fields null where the log no longer holds it; and the one that set them first. */
function columnsOf(row: Row, { columns, observed }: Origin, { supplier, setters }: ValueEntries) {
  const from = supplier ?? { seq: null, event: null, source: null, occurred_at: observed };
  return columns.map((column) => ({
    column,
    value: row[column] ?? null,
    since: setters.get(column) ?? null,
    ...from,
  }));
}
