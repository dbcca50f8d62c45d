// The vocabulary check finds private words in identifiers, file names and prose, and nothing else.
import { describe, expect, it } from 'vitest';
import { findIn } from '../.ci/vocabulary.ts';

const words = (path: string, text: string) => findIn(path, text).map(({ line, word }) => `${line} ${word}`);

describe('the vocabulary check', () => {
  it('finds a private word in any part of an identifier', () => {
    expect(words('src/a.ts', 'const isTold = 1;\nfunction walkList() {}\ntype StandingRow = 1;')).toEqual([
      '1 isTold',
      '2 walkList',
      '3 StandingRow',
    ]);
  });

  it('finds one in a file name and in a template', () => {
    expect(words('src/alerts/desk.ts', '')).toEqual(['0 desk']);
    expect(words('src/a.ts', 'const text = `at ${placeOf(row)}`;')).toEqual(['1 placeOf']);
  });

  it('accepts words that merely contain one', () => {
    expect(words('src/a.ts', 'const standardPlaceholder = understand(knownKinds);')).toEqual([]);
  });

  it('reads strings and comments as prose', () => {
    expect(words('src/a.ts', "// The place of a page.\nconst a = 'they walk';")).toEqual([]);
    expect(words('src/a.ts', '// Whoever asks is told.')).toEqual(['1 Whoever', '1 told']);
    expect(words('docs/a.md', 'Line one.\nNobody waits in a ring.')).toEqual(['2 Nobody', '2 in a ring']);
  });
});
