// One run: finds what is asked for, reads it, writes it, and remembers how far an incremental run has come.
//
//   plan (all mistakes are found here) ─▶ end of the log ─▶ rows ─▶ file in its place ─▶ position
//
// The end of the log is read before the rows: what comes meanwhile is perhaps in this file, and surely in the next. The
// position moves after the file is in its place: a run that dies in between is repeated.
import { createHash } from 'node:crypto';
import type { RawBuilder, SqlBool } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { setPosition, readPosition } from '#src/store/log/consumer-offsets.ts';
import type { Cells, Column } from './format.ts';
import { loadFormat, type FormatName } from './formats.ts';
import { isFarReaching, newsOf } from './incremental.ts';
import type { Destination } from './output.ts';
import { rowsOf } from './rows.ts';
import { changedSince } from './since.ts';
import { chooseColumns, findSource, type Source } from './source.ts';

export interface ExportRequest {
  readonly name: string;
  readonly format: FormatName;
  readonly columns?: readonly string[] | undefined;
  /** UTC, six fractional digits. */
  readonly since?: string | undefined;
  /** The name under which an incremental run remembers how far it came. */
  readonly incremental?: string | undefined;
}

export interface ExportPlan {
  readonly source: Source;
  readonly format: FormatName;
  readonly columns: readonly Column[];
  readonly where: RawBuilder<SqlBool> | undefined;
  readonly position: string | undefined;
}

export interface ExportNeeds {
  readonly store: Store;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly onProgress?: (rows: number) => void;
}

/** Why an incremental run wrote everything. */
export type Whole = 'first_run' | 'log_restarted' | 'far_reaching';

export interface ExportReport {
  readonly rows: number;
  readonly fromSeq?: number;
  readonly toSeq?: number;
  readonly whole?: Whole;
}

export async function planExport(store: Store, request: ExportRequest): Promise<ExportPlan> {
  const { name, format, since, incremental } = request;
  const source = await findSource(store, name);
  const columns = chooseColumns(source, request.columns);
  const where = since === undefined ? undefined : changedSince(source, since);
  const { follows } = source.lineage;
  if (incremental !== undefined && typeof follows === 'object')
    throw new SlotstreamError('usage', `${name} cannot be exported incrementally: ${follows.not}.`, {
      hint: 'Leave --incremental out: the whole of it is exported.',
    });
  const position = incremental === undefined ? undefined : positionOf(request, incremental);
  return { source, format, columns, where, position };
}

/** With the table and the columns in it: what one run has had, a run of another table or with a new column has not. */
function positionOf({ name, columns }: ExportRequest, incremental: string): string {
  if (columns === undefined) return `export:${name}:${incremental}`;
  // A hash, because names of columns are as long as the labels of custom fields, and a key of the store has an end.
  const chosen = createHash('sha256').update(JSON.stringify(columns.toSorted())).digest('hex').slice(0, 16);
  return `export:${name}:${incremental}:${chosen}`;
}

export async function runExport(needs: ExportNeeds, plan: ExportPlan, destination: Destination): Promise<ExportReport> {
  const { signal } = needs;
  const { pages, report, arrived } = await readingOf(needs, plan);
  const format = await loadFormat(plan.format);
  const writer = await format.open(destination, plan.columns);
  let rows = 0;
  for await (const page of pages) {
    stopIf(signal);
    await writer.write(page);
    rows += page.length;
    needs.onProgress?.(rows);
  }
  stopIf(signal);
  await writer.close();
  await destination.complete();
  await arrived();
  return { rows, ...report };
}

interface Reading {
  readonly pages: AsyncGenerator<Cells[]>;
  readonly report: Omit<ExportReport, 'rows'>;
  /** Remembers that all of this has been written. */
  readonly arrived: () => Promise<void>;
}

async function readingOf(
  { store, now }: ExportNeeds,
  { source, columns, where, position }: ExportPlan,
): Promise<Reading> {
  const everything = () => rowsOf(store, source, { columns, where });
  if (position === undefined) return { pages: everything(), report: {}, arrived: async () => {} };
  const from = await readPosition(store, position);
  const to = await lastSeq(store);
  const updatedAt = instantOf(now());
  const arrived = () => store.transaction((unit) => setPosition(unit, { name: position, position: to, updatedAt }));
  const whole = await wholeBecause(store, source, { from, to });
  if (whole !== undefined || from === undefined)
    return { pages: everything(), report: { toSeq: to, ...(whole && { whole }) }, arrived };
  const pages = newsOf(store, { source, columns, stretch: { from, to } });
  return { pages, report: { fromSeq: from, toSeq: to }, arrived };
}

async function wholeBecause(
  store: Store,
  source: Source,
  { from, to }: { readonly from: number | undefined; readonly to: number },
): Promise<Whole | undefined> {
  if (from === undefined) return 'first_run';
  // The log ends before the place where the last run stood: it is another one, or an older copy.
  if (from > to) return 'log_restarted';
  return (await isFarReaching(store, source, { from, to })) ? 'far_reaching' : undefined;
}

function stopIf(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new SlotstreamError(
      'stopped',
      'Stopped before the export was complete. Whatever stood under its name is as it was.',
      {
        hint: 'Run it again.',
      },
    );
}
