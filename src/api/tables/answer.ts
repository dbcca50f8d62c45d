// The rows that answer a question, in the form that the caller accepts: JSON in the envelope of our lists, CSV, or a JSON object a line.
import { z } from 'zod';
import { csvLines } from '#src/base/csv.ts';
import { accepts } from '#src/http/request.ts';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { ColumnKind, Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';

export interface RowsAnswer {
  readonly rows: readonly StoredRow[];
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  readonly pagination: PaginationEnvelope;
}

const csvType = 'text/csv';
const linesType = 'application/x-ndjson';

export const otherForms = [
  { contentType: csvType, schema: z.string() },
  { contentType: linesType, schema: z.string() },
] as const;

export function formOf(
  answer: RowsAnswer,
  { accept, isRaw }: { readonly accept: string | null; readonly isRaw: boolean },
): object {
  if (accepts(csvType, accept)) return text(answer, `${csvType}; charset=utf-8`, csvText(answer, isRaw));
  if (accepts(linesType, accept))
    return text(answer, linesType, answer.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { collection: answer.rows, pagination: answer.pagination };
}

function csvText({ rows, kinds }: RowsAnswer, isRaw: boolean): string {
  const csv = csvOf(kinds, isRaw);
  return csv.header() + csv.lines(rows);
}

/** Rows with these columns as CSV; guarded against formulas unless it is raw. */
export function csvOf(kinds: RowsAnswer['kinds'], isRaw: boolean) {
  const columns = Object.entries(kinds).map(([name, kind]) => ({ name, kind }));
  const csv = csvLines(columns, { isRaw });
  return {
    header: () => csv.header(),
    lines: (rows: RowsAnswer['rows']): string =>
      rows.map((row) => csv.line(columns.map(({ name, kind }) => cellOf(kind, row[name] ?? null)))).join(''),
  };
}

function cellOf(kind: ColumnKind, value: Json): string | number | boolean | null {
  if (value === null) return null;
  return kind === 'json' || typeof value === 'object' ? JSON.stringify(value) : value;
}

/** These forms have no room for the address of the next page, so a header has it. */
function text({ pagination: { next_page: next } }: RowsAnswer, type: string, body: string): Response {
  return new Response(body, {
    headers: { 'content-type': type, vary: 'Accept', ...(next !== null && { link: `<${next}>; rel="next"` }) },
  });
}
