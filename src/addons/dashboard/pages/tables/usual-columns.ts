// Which columns of a table are shown while no one has chosen: the key, the times that sort it, names, words, and then what is short.
import type { Described, DescribedColumn } from '#src/addons/dashboard/components/rows.ts';

const most = 8;

const isPartOfName = (column: string): boolean => /^(?:first|last)_name$/.test(column);

/** Of a person or a thing as a whole. */
export const isName = (column: string): boolean => /(?:^|_)(?:name|email|title)$/.test(column) && !isPartOfName(column);

/** The key, the time that sorts the rows, and the others in the order of their declaration; with the column that they are sorted by. */
export function usualColumns(
  { key, fast, columns }: Pick<Described, 'key' | 'fast' | 'columns'>,
  sortedBy = '',
): readonly string[] {
  const names = columns.map(({ name }) => name);
  const rankOf = (column: DescribedColumn): number => {
    const { name, kind, holds, joins, one_of: words } = column;
    const ranks = [
      key.includes(name),
      fast.includes(name),
      isName(name) && holds !== 'plain',
      words !== null,
      kind !== 'json' && kind !== 'flag' && joins === null && !isPartOfName(name),
      kind !== 'json',
    ];
    const rank = ranks.indexOf(true);
    return rank === -1 ? ranks.length : rank;
  };
  const chosen = columns
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, most)
    .map(({ name }) => name);
  const first = [...new Set([...key, ...fast.slice(0, 1)])];
  const usual = [...first, ...names.filter((name) => chosen.includes(name) && !first.includes(name))];
  return usual.includes(sortedBy) || !names.includes(sortedBy) ? usual : [...key, sortedBy, ...usual.slice(key.length)];
}
