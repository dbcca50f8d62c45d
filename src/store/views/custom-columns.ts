// Which column each custom field has in `contacts_wide`. A column is named once, after the label its field has then, and keeps its name and
// its position: people's SQL depends on both. The table `contacts_wide_columns` holds them.
import { createHash } from 'node:crypto';
import type { TableRow } from '#src/store/schema/tables.ts';

export type FieldColumn = TableRow<'contacts_wide_columns'>;

export interface Definition {
  readonly uri: string;
  readonly label: string | null;
  readonly field_type: string | null;
  readonly created_at: string | null;
}

// PostgreSQL cuts names at 63 bytes; eight digits of a digest and an underscore must fit as well.
const longestWords = 54;
const longestName = 63;
const digestLengths = [8, 16, 32, 48];

/** PostgreSQL and SQLite have a maximum of columns, 1,600 and 2,000; beyond this number the youngest definitions get none. */
const mostColumns = 1_500;

/** The columns there are, with the label and type that their definitions have now, and one more for each new definition. */
export function columnsFor(
  present: readonly FieldColumn[],
  definitions: readonly Definition[],
  reserved: ReadonlySet<string>,
): readonly FieldColumn[] {
  const defined = new Map(definitions.map((definition) => [definition.uri, definition]));
  const named = new Set(present.map(({ field_uri }) => field_uri));
  const free = Math.max(-1, ...present.map(({ position }) => position)) + 1;
  const isNew = ({ uri }: Definition) => !named.has(uri);
  const added = namedDefinitions(definitions.filter(isNew), reserved, present);
  return [
    ...present.toSorted((a, b) => a.position - b.position).map((column) => described(column, defined)),
    ...added.map(([column_name, { uri, label, field_type }], index) => ({
      field_uri: uri,
      column_name,
      position: free + index,
      label,
      field_type,
    })),
  ].slice(0, mostColumns);
}

/** A field that the service deleted keeps its column. */
function described(column: FieldColumn, definitions: ReadonlyMap<string, Definition>): FieldColumn {
  const { label, field_type } = definitions.get(column.field_uri) ?? column;
  return { ...column, label, field_type };
}

/**
 * The definitions with their names, oldest first. Each takes the words of its label, and adds a digest of its URI where that name is
 * in use already.
 */
export function namedDefinitions<Each extends Definition>(
  definitions: readonly Each[],
  reserved: ReadonlySet<string>,
  present: readonly Pick<FieldColumn, 'column_name'>[] = [],
): readonly (readonly [name: string, definition: Each])[] {
  const taken = new Set([...reserved, ...present.map(({ column_name }) => column_name)]);
  return definitions.toSorted(byAge).map((definition) => {
    const words = wordsOf(definition.label ?? '');
    const digest = createHash('sha256').update(definition.uri).digest('hex');
    const plain = words === '' ? `field_${digest.slice(0, 8)}` : /^[0-9]/.test(words) ? `field_${words}` : words;
    const wanted = cut(reserved.has(plain) ? `custom_${plain}` : plain, longestWords);
    const name = [wanted, ...digestLengths.map((length) => ended(wanted, digest.slice(0, length)))].find(
      (candidate) => !taken.has(candidate),
    );
    if (name === undefined) throw new Error('Two definitions with one URI.');
    taken.add(name);
    return [name, definition] as const;
  });
}

function byAge(a: Definition, b: Definition): number {
  const ageOf = ({ created_at, uri }: Definition) => `${created_at ?? '~'} ${uri}`;
  return ageOf(a) < ageOf(b) ? -1 : 1;
}

/** Latin letters that Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Lower-case ASCII words joined by underscores; nothing where a label has none. */
function wordsOf(label: string): string {
  return cut(
    label
      .slice(0, 1_000)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[ßæœøłđðþı]/g, (letter) => letters[letter] ?? '')
      .replaceAll(/[^a-z0-9]+/g, '_'),
    longestWords,
  );
}

const ended = (words: string, digest: string): string => `${cut(words, longestName - digest.length - 1)}_${digest}`;
const cut = (words: string, length: number): string => words.replace(/^_+/, '').slice(0, length).replace(/_+$/, '');
