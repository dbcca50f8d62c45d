// Lines of CSV by RFC 4180: null is an empty cell, an empty text is a quoted one. Apostrophes keep spreadsheets from running texts as formulas.

export interface CsvColumn {
  readonly name: string;
  /** `text` and `json` are quoted; only a text can be a formula. */
  readonly kind: string;
}

export interface CsvLines {
  header(): string;
  /** JSON as text. */
  line(cells: readonly (string | number | boolean | null)[]): string;
  /** How many cells were changed so that a spreadsheet runs no formula. */
  readonly guarded: number;
}

/** `isRaw`: for programs, texts as they are. */
export function csvLines(columns: readonly CsvColumn[], { isRaw }: { readonly isRaw: boolean }): CsvLines {
  let guarded = 0;
  const withoutFormula = (text: string): string => {
    const safe = isRaw || phone.test(text) ? text : text.replaceAll(formula, "'");
    if (safe !== text) guarded += 1;
    return safe;
  };
  const cellOf = ({ kind }: CsvColumn, cell: string | number | boolean | null): string => {
    if (cell === null) return '';
    if (typeof cell !== 'string') return String(cell);
    if (kind === 'json' && !isRaw) return quoted(cell.replaceAll(separatorInJson, escapeSeparator));
    return quoted(kind === 'text' ? withoutFormula(cell) : cell);
  };
  const isAlone = columns.length === 1;
  return {
    get guarded() {
      return guarded;
    },
    header: () => `${columns.map(({ name }) => quoted(withoutFormula(name))).join(',')}\r\n`,
    line(cells) {
      const line = columns.map((column, index) => cellOf(column, cells[index] ?? null)).join(',');
      // Many readers skip empty lines, so a single null is written as an empty text.
      return `${isAlone && line === '' ? '""' : line}\r\n`;
    },
  };
}

// OWASP's list (= + - @, tab, CR, LF), also after blanks, which spreadsheets skip, and the full-width forms that some of them
// treat alike. A spreadsheet with another separator than the comma ignores our quotes: there a cell also begins behind ; | tab or a
// line break, also with a quote of its own. A text that already has an apostrophe there gets another, so that removing one restores the original.
const formula = /(?<![^;|\t\r\n])(?=(?:['"]|[^\S\t\r\n])*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?='*[\t\r\n])/g;

/** A phone number that no spreadsheet can compute: +1-1 is a formula, +1 1-1 and +1(1)-1 are none. */
const phone = /^\+\d[\d.]*(?:(?: *\(| +\d)[\d ().-]*)?$/;

/** JSON begins with no formula, and only its strings contain these separators, which can be escaped there. */
const separatorInJson = /[;|](?=(?:['"]|[^\S\t\r\n])*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const escapeSeparator = (character: string): string => (character === ';' ? '\\u003b' : '\\u007c');

const plain = /^[^\s",][^",\r\n]*(?<!\s)$/;

function quoted(text: string): string {
  return plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
