// What the columns of custom fields are called: the words of their label, the same whatever order the definitions came in.
import { createHash } from 'node:crypto';

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

/**
 * The definitions with their names, oldest first. Each takes the words of its label, and where an older one has that name
 * already adds a digest of its URI: so a new definition never renames one that was there before.
 */
export function namedDefinitions<Each extends Definition>(
  definitions: readonly Each[],
  reserved: ReadonlySet<string>,
): readonly (readonly [name: string, definition: Each])[] {
  const taken = new Set(reserved);
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
