// CSV by RFC 4180, in UTF-8: null is an empty cell, an empty text is a quoted one. A text that a spreadsheet would take for
// a formula gets an apostrophe in front.
import type { Cell, Column, Format } from './format.ts';

export const csv: Format = {
  isText: true,
  async open(output, columns) {
    const write = (lines: readonly string[]) => output.write(Buffer.from(lines.map((line) => `${line}\r\n`).join('')));
    await write([columns.map(({ name }) => quoted(harmless(name))).join(',')]);
    const isAlone = columns.length === 1;
    return {
      write: (rows) =>
        write(
          rows.map((row) => {
            const line = columns.map((column, index) => cellOf(column, row[index] ?? null)).join(',');
            // An empty line is no row to many readers: a lone null is written as an empty text.
            return isAlone && line === '' ? '""' : line;
          }),
        ),
      close: async () => {},
    };
  },
};

function cellOf({ kind }: Column, cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  // JSON needs no apostrophe: a text within it begins with a quotation mark, and what begins with a minus is a number.
  return quoted(kind === 'text' ? harmless(cell) : cell);
}

// OWASP's list (= + - @, tab, CR, LF), also behind blanks, which spreadsheets skip, and in the wide forms that some of them
// take for the same. A text that looks as if it had its apostrophe already gets another, so that taking one away gives back
// what was there.
const formula = /^'*(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

function harmless(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

const plain = /^[^\s",][^",\r\n]*(?<!\s)$/;

function quoted(text: string): string {
  return plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
