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
});
