// docs/proof/conformance.md is made from the rows of test/conformance, and a row that cannot be read is noticed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformancePage, readChapter, readRows } from '../.ci/conformance-page.ts';

const root = join(import.meta.dirname, '..');
const chapter = (rows: string) => readChapter('some.test.ts', `// Conformance: some family.\n${rows}`);

describe('the conformance page', () => {
  it('is up to date with the tests (npm run conformance)', () => {
    expect(readFileSync(join(root, 'docs/proof/conformance.md'), 'utf8')).toBe(
      conformancePage(readRows(join(root, 'test/conformance'))),
    );
  });

  it('has a row for every entry of every table, in order', () => {
    const two = `const x = {\n  'no | row': 1,\n};\nrows({\n  "Who's | 'it' is so": () => {\n    a('no | row');\n  },\n  // Why.\n});\n`;
    expect(chapter(`rows({\n  'Rule 1 | it is so | A1': () => x,\n});\n${two}`)).toEqual({
      title: 'some family',
      file: 'some.test.ts',
      rows: [
        { where: 'Rule 1', what: 'it is so', note: 'A1' },
        { where: "Who's", what: "'it' is so" },
      ],
    });
  });

  it('keeps its table whole whatever a row says', () => {
    const page = conformancePage([chapter("rows({\n  'POST /x/<uuid> | `a|b` < c': x,\n});")]);
    expect(page).toContain('| POST /x/&lt;uuid> | `a\\|b` &lt; c |  |');
    expect(page).toContain('1 rows, one a sentence of the specification; 0 of them are ours');
  });

  it('states its exceptions at its beginning', () => {
    const page = conformancePage([chapter("rows({\n  'POST /x | sends no letter | exception': x,\n});")]);
    expect(page.indexOf('## Exceptions')).toBeLessThan(page.indexOf('## Some family'));
    expect(page).toContain('| POST /x | sends no letter |\n');
    expect(page).toContain('| POST /x | sends no letter | exception |');
  });

  it.each([
    ['a template', '[`Rule | x`]: x'],
    ['a name', 'rule: x'],
    ['a sum', "['Rule | a' + 'b']: x"],
    ['a table inside another', '...more'],
    ['a missing cell', "'Rule': x"],
    ['a cell too many', "'Rule | a | A1 | b': x"],
  ])('refuses %s, naming file and line', (_, entry) => {
    expect(() => chapter(`rows({\n  ${entry},\n});`)).toThrow('some.test.ts:3');
  });

  it('refuses a file that does not say what it is about', () => {
    expect(() => readChapter('some.test.ts', '// Something else.\n')).toThrow('some.test.ts');
  });
});
