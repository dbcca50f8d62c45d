// Formats text for a terminal: tables, progress lines, and values that cannot control the terminal.
import stringWidth from 'fast-string-width';
import { changedItems, type OptionLabels } from '#src/base/changed-items.ts';
import type { Changes } from '#workers/fold/projections/merge.ts';
import { escapeControls } from './terminal-output.ts';
import type { VerbContext } from './verb.ts';

/** Aligns columns, also for wide and combining characters. */
export function renderTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignColumns([headers, ...rows]).join('\n');
}

/** The library takes a letter and its parts for several characters, as macOS writes Hangul in file names. */
const widthOf = (text: string): number => stringWidth(text.normalize());

export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const cells of rows)
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const pad = (cell: string, column: number): string => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return rows.map((cells) => cells.map(pad).join('  ').trimEnd());
}

const lineWidth = 78;

/** A heading, and names below it in lines that fit a terminal. */
export function nameLines(heading: string, names: readonly string[]): string[] {
  const lines = [`${heading}:`];
  let line = ' ';
  for (const [index, name] of names.entries()) {
    const word = ` ${name}${index < names.length - 1 ? ',' : ''}`;
    if (line.length + word.length > lineWidth) {
      lines.push(line);
      line = ' ';
    }
    line += word;
  }
  return [...lines, line];
}

const progressEveryMs = 2_000;

/** Returns a function to call with the count so far; it prints count, rate and time at most every two seconds. */
export function reportProgress(
  context: Pick<VerbContext, 'notify' | 'now'>,
  what: string | (() => string),
): (done: number) => void {
  const startedAt = context.now().getTime();
  let reportedAt = startedAt;
  return (done) => {
    const now = context.now().getTime();
    if (now - reportedAt < progressEveryMs) return;
    reportedAt = now;
    const seconds = (now - startedAt) / 1000;
    context.notify(
      `${done} ${typeof what === 'string' ? what : what()}, ${Math.round(done / seconds)}/s, ${Math.round(seconds)} s`,
    );
  };
}

const safeJson = (value: unknown): string => escapeControls(JSON.stringify(value));

/** A value as JSON, so that a text differs from a number; cut to `maxLength` characters. */
export function valueText(value: unknown, maxLength = 80): string {
  const text = safeJson(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 3)}…` : text;
}

/** A text from outside, such as the name of a kind, without quotes and without control characters. */
export const safeTerminalText = (text: string): string => safeJson(text).slice(1, -1);

/** One line per difference: `  contacts.company: none → "Example"`, `  contacts.custom_fields, Budget: none → 12000`. */
export function changeLines(changes: Changes | null, options?: OptionLabels): string[] {
  const text = (value: unknown): string => (value === null || value === undefined ? 'none' : valueText(value));
  return Object.entries(changes ?? {}).flatMap(([table, columns]) => {
    const lines = Object.entries(columns).flatMap(([column, change]) =>
      changedItems(column, change, options).map(
        ({ item, before, after }) =>
          `  ${table}.${column}${item && `, ${safeTerminalText(item)}`}: ${text(before)} → ${text(after)}`,
      ),
    );
    return Object.keys(columns).length === 0 ? [`  new in ${table}`] : lines;
  });
}
