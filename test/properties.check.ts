// Where tests are, how properties begin, and that golden files belong to tests.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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

// A name is quoted, or the key of a table. What a test puts before it (`golden/overview-${name}.txt`, `${channel}-${kind}`) is left
// out. The word of a deleted case that the test uses otherwise is not missed.
it('every golden file has a name that a test of the folder above it knows', () => {
  const orphans = globSync('test/**/golden/*', { cwd: root }).filter((path) => {
    const above = globSync(join(dirname(path), '..', '*.test.ts'), { cwd: root });
    const text = above.map((test) => readFileSync(join(root, test), 'utf8')).join('\n');
    const name = basename(path, '.txt');
    const before = [...text.matchAll(/golden\/([\w-]+)\$\{/g)].map(([, prefix]) => String(prefix));
    if (text.includes('[`${channel}-${')) before.push(name.replace(/-.*/, '-'));
    const names = ['', ...before]
      .filter((prefix) => name.startsWith(prefix))
      .map((prefix) => name.slice(prefix.length));
    const known = names.join('|').replaceAll('-', '[-/]');
    return !new RegExp(`golden/(${known})\\.txt|['/](${known})'|^ {2}(${known}):`, 'm').test(text);
  });
  expect(orphans).toEqual([]);
});
