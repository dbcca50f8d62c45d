// What a question to one table answers, in plain JavaScript: conditions with the three values of SQL, the order, and groups.

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;
export type Kind = 'text' | 'time' | 'flag' | 'integer' | 'number';

export type Asked =
  | {
      readonly column: string;
      readonly not: boolean;
      readonly operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';
      readonly value: Cell;
    }
  | { readonly column: string; readonly not: boolean; readonly operator: 'in'; readonly values: readonly Cell[] }
  | { readonly column: string; readonly not: boolean; readonly operator: 'is'; readonly value: null | boolean }
  | {
      readonly column: string;
      readonly not: boolean;
      readonly operator: 'like' | 'ilike';
      readonly pattern: readonly string[];
    }
  | { readonly group: 'and' | 'or'; readonly not: boolean; readonly parts: readonly Asked[] };

/** By the type; texts by their bytes in UTF-8. Of values that are there. */
export function compared(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

const opposite = (value: boolean | null): boolean | null => (value === null ? null : !value);
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const symbols = {
  eq: (order: number) => order === 0,
  neq: (order: number) => order !== 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const;

/** Null: neither. */
export function holds(asked: Asked, row: Row): boolean | null {
  const positive = holdsAsWritten(asked, row);
  return asked.not ? opposite(positive) : positive;
}

function holdsAsWritten(asked: Asked, row: Row): boolean | null {
  if ('group' in asked) {
    const parts = asked.parts.map((part) => holds(part, row));
    const decisive = asked.group === 'or';
    if (parts.includes(decisive)) return decisive;
    return parts.includes(null) ? null : !decisive;
  }
  const cell = row[asked.column] ?? null;
  if (asked.operator === 'is') return cell === asked.value;
  if (cell === null) return null;
  if (asked.operator === 'in') return asked.values.some((value) => compared(cell, value) === 0);
  if ('pattern' in asked) {
    const fold = asked.operator === 'ilike' ? lower : (text: string) => text;
    return matches(Array.from(fold(String(cell))), asked.pattern.map(fold));
  }
  return symbols[asked.operator](compared(cell, asked.value));
}

/** `*` and `%` are any text, `_` one character, and a pair with a backslash the second of the two. */
function matches(text: readonly string[], [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return text.length === 0;
  if (first === '*' || first === '%')
    return text.some((_, from) => matches(text.slice(from), rest)) || matches([], rest);
  if (text.length === 0) return false;
  return (first === '_' || text[0] === Array.from(first).at(-1)) && matches(text.slice(1), rest);
}

export interface Term {
  readonly name: string;
  readonly isDescending: boolean;
}

/** Rows without a value come last. */
export function sorted(rows: readonly Row[], terms: readonly Term[]): readonly Row[] {
  return rows.toSorted((a, b) => {
    for (const { name, isDescending } of terms) {
      const [left, right] = [a[name] ?? null, b[name] ?? null];
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1;
        continue;
      }
      const order = compared(left, right);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
}

export interface Computed {
  readonly by: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly column: string;
}

export const nameOf = ({ by, column }: Computed): string => (by === 'count' ? 'count' : `${by}_${column}`);

/** One row of each group with equal values in these columns; without columns, one of all rows. */
export function grouped(
  rows: readonly Row[],
  columns: readonly string[],
  computed: readonly Computed[],
): readonly Row[] {
  const keyOf = (row: Row) => JSON.stringify(columns.map((name) => row[name] ?? null));
  const groups = Map.groupBy(rows, keyOf);
  if (columns.length === 0 && groups.size === 0) groups.set('', []);
  return [...groups.values()].map((members) =>
    Object.fromEntries([
      ...columns.map((name) => [name, members[0]?.[name] ?? null]),
      ...computed.map((each) => [nameOf(each), computedFrom(members, each)]),
    ]),
  );
}

function computedFrom(members: readonly Row[], { by, column }: Computed): Cell {
  if (by === 'count') return members.length;
  const cells = members.map((row) => row[column] ?? null).filter((cell) => cell !== null);
  if (cells.length === 0) return null;
  const sum = cells.reduce<number>((total, cell) => total + Number(cell), 0);
  if (by === 'sum') return sum;
  if (by === 'avg') return sum / cells.length;
  const inOrder = cells.toSorted(compared);
  return (by === 'min' ? inOrder[0] : inOrder.at(-1)) ?? null;
}
