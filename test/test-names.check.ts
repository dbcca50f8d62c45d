// Where tests are, and how properties begin.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const tests = globSync('test/**/*.ts', { cwd: root });

it('tests of the product are in a folder of the same path as the code', () => {
  const folders = tests.filter((path) => path.endsWith('.test.ts')).map((path) => dirname(path).slice('test/'.length));
  const ofProduct = folders.filter((folder) => /^(schemas|src|workers)\//.test(folder));
  expect(ofProduct.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

it('every property has a number of cases and a seed', () => {
  const times = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
  const unbounded = tests.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return times(text, /\bfc\.assert\($/gm) + times(text, /\bfc\.assert\(\w/g) !== times(text, /\bruns\(.+\)[,)]/g);
  });
  expect(unbounded.filter((path) => path !== 'test/test-names.check.ts')).toEqual([]);
});
