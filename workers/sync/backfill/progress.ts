// The stored progress of a backfill in one resource.
//
//   page fetched ─▶ staged with the position after it ─▶ folded and counted in the same transaction ─▶ next page staged
//                          └ meanwhile the next page is requested: after a kill, only that page is requested twice
import { z } from 'zod';
import { isUri } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { Screen } from '#workers/pipeline/screen.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import { checkpoint, lockStagedPages, readValue, removeValues, stagedPage, writeValue } from '#src/store/key-value.ts';
import type { RecordsReport, ServiceRecord } from '#workers/sync/records.ts';

const whole = z.number().int();
export const countsSchema = z.object({
  created: whole,
  updated: whole,
  unchanged: whole,
  /** Earlier versions stored it under another name. */
  quarantined: whole.default(0),
  /** Lists and records that the service did not let be read. */
  left_out: whole.default(0),
  rows: whole,
  pages: whole,
  /** Rows by kind: a resource may have several. Earlier versions did not count them. */
  by_kind: z.record(z.string(), whole).default({}),
});
export type Counts = Readonly<z.output<typeof countsSchema>>;

export const noCounts: Counts = {
  created: 0,
  updated: 0,
  unchanged: 0,
  quarantined: 0,
  left_out: 0,
  rows: 0,
  pages: 0,
  by_kind: {},
};

const progress = z.object({
  state: z.enum(['walking', 'done']),
  /** The counts of all pages before the staged one. */
  counts: countsSchema,
  /** The token of the staged page; null: the first. */
  from: z.string().nullable(),
  /** The token after it; null: it is the last. */
  next: z.string().nullable(),
  /** What the staged page has changed so far. */
  counted: z.object({ created: whole, updated: whole }),
  /** The first of what was left out, as text; `left_out` counts all. */
  missing: z.array(z.string()),
  /** How fast the process that reads it is: what it had read when it began, and when it stored the last page. */
  pace: z
    .object({
      began_at: z.string(),
      began_with: countsSchema,
      stored_at: z.string(),
      /** How many records of its first kind the service has, where that can be counted. */
      total: whole.optional(),
    })
    .optional(),
});
export type Progress = Readonly<z.output<typeof progress>>;

export interface StagedPage {
  readonly records: readonly ServiceRecord[];
  readonly rows: number;
}

const keyOf = (name: ResourceName): string => `backfill ${name}`;
const progressOf = (name: ResourceName) => checkpoint(keyOf(name), progress);
const stagedOf = (name: ResourceName) => stagedPage(keyOf(name));

export function readProgress(store: Pick<Store, 'db' | 'engine'>, name: ResourceName): Promise<Progress | undefined> {
  return readValue(store, progressOf(name));
}

const parsePage = (text: string): StagedPage => JSON.parse(text);

/** The page that was being folded; undefined when it must be fetched again. */
export async function readStaged(store: Store, name: ResourceName): Promise<StagedPage | undefined> {
  const text = await readValue(store, stagedOf(name));
  return text === undefined ? undefined : parsePage(text);
}

export async function stage(
  unit: Unit,
  screen: Pick<Screen, 'concerns'>,
  name: ResourceName,
  { at, page }: { readonly at: Progress; readonly page: StagedPage },
): Promise<void> {
  await lockStagedPages(unit);
  await writeValue(unit, progressOf(name), at);
  // The page may stay there for long when the backfill is killed: with a redacted person on it, it is fetched again instead.
  if (await concernsErased(unit, screen, page)) await removeValues(unit, [stagedOf(name)]);
  else await writeValue(unit, stagedOf(name), JSON.stringify(page));
}

/** A person may have been erased, or a contact deleted, since the page was fetched. */
function concernsErased(unit: Unit, screen: Pick<Screen, 'concerns'>, { records }: StagedPage): Promise<boolean> {
  const contactUris = records.flatMap(({ kind, record: { uri } }) => (kind === 'contact' && isUri(uri) ? [uri] : []));
  return screen.concerns(unit, { json: records, contactUris });
}

/** Adds to the counts of the staged page, in the transaction that changes the rows. */
export async function countAlongside(unit: Unit, name: ResourceName, more: Progress['counted']): Promise<void> {
  const at = await readValue(unit, progressOf(name));
  if (at === undefined) return;
  const counted = { created: at.counted.created + more.created, updated: at.counted.updated + more.updated };
  await writeValue(unit, progressOf(name), { ...at, counted });
}

/** Removes the staged page: everything that was fetched is folded. */
export async function settle(unit: Unit, name: ResourceName, at: Progress): Promise<void> {
  await writeValue(unit, progressOf(name), at);
  await removeValues(unit, [stagedOf(name)]);
}

export function removeProgress(unit: Unit, names: readonly ResourceName[]): Promise<void> {
  return removeValues(
    unit,
    names.flatMap((name) => [progressOf(name), stagedOf(name)]),
  );
}

/** A page that is folded again finds its own changes unchanged; they are counted as they were the first time. */
export function withPage(
  before: Counts,
  { records, rows }: StagedPage,
  { report, counted }: { readonly report: Omit<RecordsReport, 'changed'>; readonly counted: Progress['counted'] },
): Counts {
  const by_kind = { ...before.by_kind };
  for (const { kind } of records) by_kind[kind] = (by_kind[kind] ?? 0) + 1;
  return {
    by_kind,
    created: before.created + report.created + counted.created,
    updated: before.updated + report.updated + counted.updated,
    unchanged: before.unchanged + report.unchanged - counted.created - counted.updated,
    quarantined: before.quarantined + report.quarantined,
    left_out: before.left_out,
    rows: before.rows + rows,
    pages: before.pages + 1,
  };
}
