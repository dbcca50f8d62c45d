// The stored progress of a backfill in one resource: it is written after each page that is folded. A page that was folded but not
// yet counted when the process was killed is requested again; its records are then counted as unchanged.
import { z } from 'zod';
import type { Store, Unit } from '#src/store/contract.ts';
import type { ResourceName, ResourcePage } from '#workers/sync/resources/registry.ts';
import { checkpoint, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import type { RecordsReport } from '#workers/sync/records.ts';

const whole = z.number().int();
export const countsSchema = z.object({
  created: whole,
  updated: whole,
  unchanged: whole,
  quarantined: whole,
  /** Lists and records that the service did not let be read. */
  left_out: whole,
  rows: whole,
  pages: whole,
  /** Rows by kind: a resource may have several. */
  by_kind: z.record(z.string(), whole),
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
  counts: countsSchema,
  /** The token of the next page; null: the first. */
  from: z.string().nullable(),
  /** The first of what was left out, as text; `left_out` counts all. */
  missing: z.array(z.string()),
  /** A list within it broke off. */
  brokeOff: z.boolean().optional(),
  /** The lists of the last page, the outermost first, and what had been counted when each began. */
  lists: z.array(z.object({ name: z.string(), before: countsSchema })).optional(),
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

const progressOf = (name: ResourceName) => checkpoint(`backfill ${name}`, progress);

export function readProgress(store: Pick<Store, 'db' | 'engine'>, name: ResourceName): Promise<Progress | undefined> {
  return readValue(store, progressOf(name));
}

export function writeProgress(unit: Unit, name: ResourceName, at: Progress): Promise<void> {
  return writeValue(unit, progressOf(name), at);
}

export function removeProgress(unit: Unit, names: readonly ResourceName[]): Promise<void> {
  return removeValues(unit, names.map(progressOf));
}

/** Enters the lists of a page. Of one that starts over, what it had brought is not counted twice. */
export function withLists(at: Progress, { lists: names = [], notices = [] }: ResourcePage, now: string): Progress {
  const { lists: known = [] } = at;
  const depth = names.findIndex((name, index) => known[index]?.name !== name);
  const same = depth < 0 ? known.slice(0, names.length) : known.slice(0, depth);
  // Earlier versions stored no lists: one that starts over is then taken for the only one.
  const before = at.lists === undefined ? noCounts : at.counts;
  const lists = [...same, ...names.slice(same.length).map((name) => ({ name, before }))];
  const again = lists.find(({ name }) => notices.some(({ kind, list }) => kind === 'restarted' && list === name));
  if (again === undefined) return { ...at, lists };
  const { before: counts } = again;
  const pace = at.pace && { ...at.pace, began_at: now, began_with: counts };
  return { ...at, lists, counts, missing: at.missing.slice(0, counts.left_out), pace };
}

export function withPage(before: Counts, { records, rows }: ResourcePage, report: RecordsReport): Counts {
  const by_kind = { ...before.by_kind };
  for (const { kind } of records) by_kind[kind] = (by_kind[kind] ?? 0) + 1;
  return {
    by_kind,
    created: before.created + report.created,
    updated: before.updated + report.updated,
    unchanged: before.unchanged + report.unchanged,
    quarantined: before.quarantined + report.quarantined,
    left_out: before.left_out,
    rows: before.rows + rows,
    pages: before.pages + 1,
  };
}
