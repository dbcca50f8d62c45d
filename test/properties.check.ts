// Every property has a number of cases and a seed.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const tests = globSync('test/**/*.ts', { cwd: root });

it('every property has a number of cases and a seed', () => {
  const times = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
  const unbounded = tests.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return times(text, /\bfc\.assert\($/gm) + times(text, /\bfc\.assert\(\w/g) !== times(text, /\bruns\(.+\)[,)]/g);
  });
  expect(unbounded.filter((path) => path !== 'test/properties.check.ts')).toEqual([]);
});
