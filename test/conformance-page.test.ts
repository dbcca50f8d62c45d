// docs/conformance.md is made from the rows of test/conformance, and a row that cannot be read is noticed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformancePage, readChapter, readRows } from '../.ci/conformance-page.ts';

const root = join(import.meta.dirname, '..');
const chapter = (rows: string) => readChapter('some.test.ts', `// Conformance: some family.\n${rows}`);

describe('the conformance page', () => {
  it('is up to date with the tests (npm run conformance)', () => {
    expect(readFileSync(join(root, 'docs/conformance.md'), 'utf8')).toBe(
      conformancePage(readRows(join(root, 'test/conformance'))),
    );
  });

  it('has a row for every sentence and every assumption, in order', () => {
    expect(
      chapter(
        `sentence('Rule 1', 'it is so', () => {});\n  assumed(\n    'A1',\n    "Who's",\n    'it\\'s so',\n  () => {});`,
      ),
    ).toEqual({
      title: 'some family',
      file: 'some.test.ts',
      rows: [
        { where: 'Rule 1', what: 'it is so' },
        { assumption: 'A1', where: "Who's", what: "it's so" },
      ],
    });
  });

  it('keeps its table whole whatever a row says', () => {
    const page = conformancePage([chapter("sentence('POST /x/<uuid>', '`a|b` < c', () => {});")]);
    expect(page).toContain('| POST /x/&lt;uuid> | `a\\|b` &lt; c |  |');
    expect(page).toContain('1 rows, one a sentence of the specification; 0 of them are ours');
  });

  it('states its exceptions at its beginning', () => {
    const page = conformancePage([chapter("exception('POST /x', 'sends no letter', () => {});")]);
    expect(page.indexOf('## Exceptions')).toBeLessThan(page.indexOf('## Some family'));
    expect(page).toContain('| POST /x | sends no letter |\n');
    expect(page).toContain('| POST /x | sends no letter | exception |');
  });

  it.each([
    ['a template', 'sentence(`Rule`, `x`, () => {});'],
    ['a name', "sentence('Rule', what, () => {});"],
    ['a sum', "sentence('Rule', 'a' + 'b', () => {});"],
    ['a call inside another', "for (const x of y) sentence('Rule', 'a', () => {});"],
    ['a missing argument', "assumed('A1', 'Rule', () => {});"],
  ])('refuses %s, naming file and line', (_, rows) => {
    expect(() => chapter(rows)).toThrow('some.test.ts:2');
  });

  it('refuses a file that does not say what it is about', () => {
    expect(() => readChapter('some.test.ts', '// Something else.\n')).toThrow('some.test.ts');
  });
});
