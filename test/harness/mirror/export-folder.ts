// Exports from a store as the verb makes them, into a folder of the test's own, and how a file's rows compare with a table's.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '#schemas/wire.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { planExport, runExport, type ExportReport, type ExportRequest } from '#src/addons/export/export.ts';
import { openFileOutput } from '#src/addons/export/output.ts';
import { readCsv, readParquet, type DuckRow } from '../duckdb.ts';

export type ExportFolder = Awaited<ReturnType<typeof exportFolder>>;

export async function exportFolder() {
  const path = await mkdtemp(join(tmpdir(), 'slotstream-export-'));
  let count = 0;
  return {
    path,
    /** Exports to a file of its own. */
    async write(store: Store, request: ExportRequest): Promise<ExportReport & { readonly file: string }> {
      const plan = await planExport(store, request);
      const file = join(path, `${(count += 1)}.${request.format}`);
      await using destination = await openFileOutput(file, { dataDir: join(path, 'data') });
      return { ...(await runExport({ store, now: () => new Date() }, plan, destination)), file };
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

type Columns = Readonly<Record<string, ColumnKind>>;

export const formats = ['csv', 'ndjson', 'parquet'] as const;

/** The rows of a file as the program sees rows: decoded, JSON as values. */
export async function rowsIn(
  { file, format }: { readonly file: string; readonly format: (typeof formats)[number] },
  columns: Columns,
): Promise<Record<string, unknown>[]> {
  if (format === 'ndjson') {
    const lines = (await readFile(file, 'utf8')).split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  }
  const rows = format === 'csv' ? await readCsv(file, Object.keys(columns)) : await readParquet(file);
  const read = format === 'csv' ? fromCsv : fromParquet;
  return rows.map((row) => decoded(row, columns, read));
}

function decoded(row: DuckRow, columns: Columns, read: (kind: ColumnKind, value: unknown) => unknown) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? null : read(columns[name] as ColumnKind, value),
    ]),
  );
}

function fromCsv(kind: ColumnKind, value: unknown): unknown {
  const text = String(value);
  if (['json', 'flag', 'integer', 'number'].includes(kind)) return JSON.parse(text);
  return kind === 'text' ? withoutApostrophe(text) : text;
}

/** As docs/exports.md tells readers to do it. */
export function withoutApostrophe(text: string): string {
  return text.replaceAll(/(?<![^;|\t\r\n])'(?=(?:['"]|[^\S\t\r\n])*[=+\-@＝＋－＠])|^'(?='*[\t\r\n])/g, '');
}

function fromParquet(kind: ColumnKind, value: unknown): unknown {
  if (kind === 'json') return JSON.parse(String(value));
  if (kind === 'time') return timeOf(value as bigint);
  return kind === 'integer' ? Number(value) : value;
}

function timeOf(us: bigint): string {
  const fraction = ((us % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((us - fraction) / 1000n)).toISOString();
  return `${whole.slice(0, 19)}.${String(fraction).padStart(6, '0')}Z`;
}

/** In one order, whatever order the keys of JSON values and the rows have. */
export const sortedRows = (rows: readonly object[]): string[] => rows.map((row) => canonicalJson(row)).toSorted();
