// The tests of a product file are found by its path: test/<path>.test.ts, or another test of the same folder that uses it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const product = globSync('{schemas,src,workers}/**/*.ts', { cwd: root });
const tests = globSync('test/**/*.ts', { cwd: root });
const testFiles = tests.filter((path) => path.endsWith('.test.ts'));

/** Code that belongs to one folder, but does its work for another one: the folder or file, and where its tests are. */
const testedElsewhere: Readonly<Record<string, string>> = {
  // The specification's sentences test the schemas together with the sandbox.
  schemas: 'test/conformance',
  'src/http': 'test/src/sandbox/docs',
  'src/addons/mcp/stdio.ts': 'test/src/cli/commands',
  'src/store/alerts/posted-messages.ts': 'test/src/addons/slack',
  'src/store/alerts': 'test/workers/alerts',
  'src/read': 'test/src/api',
  'src/store/sql-dialect.ts': 'test/workers/alerts',
  'src/read/numbers/no-show-rates.ts': 'test/workers/alerts/conditions',
  'src/base/zoned-time.ts': 'test/workers/alerts/message',
  'src/store/stale-rows.ts': 'test/workers/sync/reconcile',
  'src/store/log/observed-times.ts': 'test/workers/sync',
  'src/upstream/oauth/authorize.ts': 'test/src/cli',
  'src/upstream/oauth/redirect-listener.ts': 'test/src/cli',
  'src/receiver/disk-log/check-loop.ts': 'test/src/receiver',
};

/** Code that only a process of its own loads: no import leads from the test to it. */
const loadedByProcess: Readonly<Record<string, string>> = {
  'src/cli/context.ts': 'test/src/cli/main.process.test.ts',
  'src/cli/main.ts': 'test/src/cli/main.process.test.ts',
  'src/store/engines/sqlite-vacuum-worker.ts': 'test/workers/privacy/redact-deleted.engines.test.ts',
};

const imports = new Map(
  [...product, ...tests].map((path) => {
    const named = [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\()\s*'([^']+\.ts)'/g)];
    return [path, named.map(([, name = '']) => (name.startsWith('#') ? name.slice(1) : join(dirname(path), name)))];
  }),
);

function usedBy(starts: readonly string[]): ReadonlySet<string> {
  const used = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (used.has(path)) continue;
    used.add(path);
    waiting.push(...(imports.get(path) ?? []));
  }
  return used;
}

/** The tests of a folder; where it has none, those of the folder above. */
function testsOf(folder: string): readonly string[] {
  const own = testFiles.filter((path) => path.startsWith(`test/${folder}/`) || path.startsWith(`test/${folder}.`));
  return own.length > 0 || folder === '.' ? own : testsOf(dirname(folder));
}

const hasNamesake = (path: string): boolean => {
  const name = `test/${path.slice(0, -'.ts'.length)}`;
  return testFiles.some((test) => test.startsWith(`${name}.`) || test.startsWith(`${name}-`));
};

describe('the tests', () => {
  it('of every product file are found by its path', () => {
    const untested = product.filter((path) => {
      if (hasNamesake(path) || path in loadedByProcess || usedBy(testsOf(dirname(path))).has(path)) return false;
      const elsewhere = Object.entries(testedElsewhere).find(([part]) => path === part || path.startsWith(`${part}/`));
      return elsewhere === undefined || !usedBy(testsOf(elsewhere[1].slice('test/'.length))).has(path);
    });
    expect(untested).toEqual([]);
  });

  it('are where the lists above say', () => {
    const named = [...Object.entries(testedElsewhere), ...Object.entries(loadedByProcess)].flat();
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('are in a folder of the same path as the product code', () => {
    const folders = new Set(testFiles.map((path) => dirname(path).replace(/^test\/?/, '')));
    const strange = [...folders].filter((folder) => /^(schemas|src|workers)\//.test(folder));
    expect(strange.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  });

  it('give every property a number of cases and a seed', () => {
    const times = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
    const unbounded = tests.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return times(text, /\bfc\.assert\($/gm) + times(text, /\bfc\.assert\(\w/g) !== times(text, /\bruns\(.+\)[,)]/g);
    });
    expect(unbounded.filter((path) => path !== 'test/test-names.check.ts')).toEqual([]);
  });
});
