// Runs one export: finds the source, reads its rows, writes the file, and stores the position of an incremental export.
//
//   plan (wrong input fails here) ─▶ end of the log ─▶ rows ─▶ file renamed into place ─▶ position
//
// The end of the log is read before the rows: a change that arrives meanwhile may be in this file, and is certainly in the
// next. The position moves after the file is in place, so a run that crashes in between is repeated.
import { createHash } from 'node:crypto';
import type { RawBuilder, SqlBool } from 'kysely';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { setPosition, readPosition } from '#src/store/log/consumer-offsets.ts';
import type { Cells, Column } from './format.ts';
import { loadFormat, type FormatName } from './formats.ts';
import { changedRows, isFarReaching } from './incremental.ts';
import { throwIfStopped, type Destination } from './output.ts';
import { rowsOf } from './rows.ts';
import { openPartitions, type Partition } from './partitions.ts';
import { changedSince, chooseColumns, findSource, timeOf, type Source } from './source.ts';

export interface ExportRequest {
  readonly name: string;
  readonly format: FormatName;
  readonly columns?: readonly string[] | undefined;
  /** UTC, six fractional digits. */
  readonly since?: string | undefined;
  /** The name under which an incremental export stores its position. */
  readonly incremental?: string | undefined;
  /** CSV for programs: formulas are not guarded. */
  readonly isRaw?: boolean;
  /** One Parquet file per day or month of the time that `since` compares. */
  readonly partition?: Partition | undefined;
}

export interface ExportPlan {
  readonly source: Source;
  readonly format: FormatName;
  readonly columns: readonly Column[];
  readonly where: RawBuilder<SqlBool> | undefined;
  /** With the time that selects the folder of a row; undefined for one file. */
  readonly partition: { readonly by: Partition; readonly time: RawBuilder<unknown> } | undefined;
  readonly position: string | undefined;
  readonly isRaw: boolean;
}

export interface ExportNeeds {
  readonly store: Store;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly onProgress?: (rows: number) => void;
}

export type FullExportReason = 'first_run' | 'log_restarted' | 'far_reaching';

export interface ExportReport {
  readonly rows: number;
  readonly fromSeq?: number;
  readonly toSeq?: number;
  readonly whole?: FullExportReason;
  /** CSV: cells that were changed so that a spreadsheet runs no formula. */
  readonly guarded: number;
}

export async function planExport(store: Store, request: ExportRequest): Promise<ExportPlan> {
  const { name, format, since, incremental } = request;
  const source = await findSource(store, name);
  const columns = chooseColumns(source, request.columns);
  const where = since === undefined ? undefined : changedSince(source, since);
  const { follows } = source.tracking;
  if (incremental !== undefined && typeof follows === 'object')
    throw new SlotstreamError('usage', `${name} cannot be exported incrementally: ${follows.unsupported}.`, {
      hint: `${name === 'bookings' ? 'docs/exports.md#follow-bookings has SQL that finds the bookings of new log entries. Or write' : 'Write'} all rows: ${slotstream} export ${name} --out ${name}.${format}`,
    });
  const position = incremental === undefined ? undefined : positionOf(request, incremental);
  const partition = request.partition && { by: request.partition, time: timeToPartition(source, request.partition) };
  return { source, format, columns, where, partition, position, isRaw: request.isRaw ?? false };
}

function timeToPartition(source: Source, by: Partition): RawBuilder<unknown> {
  const time = timeOf(source);
  if (time !== undefined && !(by in source.columns)) return time;
  const why = time === undefined ? 'its rows have no time' : `it has a column called ${by}`;
  throw new SlotstreamError('usage', `${source.name} cannot be partitioned by ${by}: ${why}.`, {
    hint: 'Export it without --partition.',
  });
}

/** Includes the table and the columns: an export of another table or with another column has a position of its own. */
function positionOf({ name, columns }: ExportRequest, incremental: string): string {
  if (columns === undefined) return `export:${name}:${incremental}`;
  // A hash, because column names can be as long as labels of custom fields, and a key of the store has a maximum length.
  const chosen = createHash('sha256').update(JSON.stringify(columns.toSorted())).digest('hex').slice(0, 16);
  return `export:${name}:${incremental}:${chosen}`;
}

export async function runExport(needs: ExportNeeds, plan: ExportPlan, destination: Destination): Promise<ExportReport> {
  const { signal } = needs;
  const { pages, report, savePosition } = await openRows(needs, plan);
  const format = await loadFormat(plan.format);
  const { columns, partition, isRaw } = plan;
  const writer = await (partition === undefined
    ? format.open(destination, columns, { isRaw })
    : openPartitions(destination, { format, columns, partition: partition.by }));
  let rows = 0;
  for await (const page of pages) {
    throwIfStopped(signal);
    await writer.write(page);
    rows += page.length;
    needs.onProgress?.(rows);
  }
  throwIfStopped(signal);
  await writer.close();
  await destination.complete(reportData({ rows, ...report }));
  await savePosition();
  return { rows, ...report, guarded: writer.guarded ?? 0 };
}

/** The report as people get it in JSON. */
export const reportData = ({ rows, fromSeq, toSeq, whole }: Omit<ExportReport, 'guarded'>): object => ({
  rows,
  ...(fromSeq !== undefined && { from_seq: fromSeq }),
  ...(toSeq !== undefined && { to_seq: toSeq }),
  ...(whole !== undefined && { whole }),
});

interface RowSource {
  readonly pages: AsyncGenerator<Cells[]>;
  readonly report: Omit<ExportReport, 'rows' | 'guarded'>;
  readonly savePosition: () => Promise<void>;
}

async function openRows(
  { store, now }: ExportNeeds,
  { source, columns, where, partition, position }: ExportPlan,
): Promise<RowSource> {
  const allRows = () => rowsOf(store, source, { columns, where, time: partition?.time });
  if (position === undefined) return { pages: allRows(), report: {}, savePosition: async () => {} };
  const from = await readPosition(store, position);
  const to = await lastSeq(store);
  const updated_at = instantOf(now());
  const savePosition = () =>
    store.transaction((unit) => setPosition(unit, { name: position, position: to, updated_at }));
  const whole = await fullExportReason(store, source, { from, to });
  if (whole !== undefined || from === undefined)
    return { pages: allRows(), report: { toSeq: to, ...(whole && { whole }) }, savePosition };
  const pages = changedRows(store, { source, columns, range: { from, to } });
  return { pages, report: { fromSeq: from, toSeq: to }, savePosition };
}

async function fullExportReason(
  store: Store,
  source: Source,
  { from, to }: { readonly from: number | undefined; readonly to: number },
): Promise<FullExportReason | undefined> {
  if (from === undefined) return 'first_run';
  // The log ends before the position of the last export: it is another log, or an older copy.
  if (from > to) return 'log_restarted';
  return (await isFarReaching(store, source, { from, to })) ? 'far_reaching' : undefined;
}
