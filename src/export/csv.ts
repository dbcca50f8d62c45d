// CSV by RFC 4180, in UTF-8: null is an empty cell, an empty text is a quoted one. A text that a spreadsheet would run as a
// formula gets a leading apostrophe.
import type { Cell, Column, Format } from './format.ts';

export const csv: Format = {
  isText: true,
  async open(output, columns) {
    const write = (lines: readonly string[]) => output.write(Buffer.from(lines.map((line) => `${line}\r\n`).join('')));
    await write([columns.map(({ name }) => quoted(withoutFormula(name))).join(',')]);
    const isAlone = columns.length === 1;
    return {
      write: (rows) =>
        write(
          rows.map((row) => {
            const line = columns.map((column, index) => cellOf(column, row[index] ?? null)).join(',');
            // Many readers skip empty lines, so a single null is written as an empty text.
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
  // JSON needs no apostrophe: a JSON string begins with a quotation mark, and only a number begins with a minus.
  return quoted(kind === 'text' ? withoutFormula(cell) : cell);
}

// OWASP's list (= + - @, tab, CR, LF), also after blanks, which spreadsheets skip, and the full-width forms that some of them
// treat alike. A text that already begins with an apostrophe gets another, so that removing one restores the original.
const formula = /^'*(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

function withoutFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

const plain = /^[^\s",][^",\r\n]*(?<!\s)$/;

function quoted(text: string): string {
  return plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
