// The command starts fast because it loads only what a command line needs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'slotstream-main-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints the address of every module that Node loads, and what takes as long as the start of Node. */
const printLoads = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ load(url, context, next) { writeSync(2, 'loads ' + url + '\\n'); return next(url, context); } });
  Intl.NumberFormat = class extends Intl.NumberFormat { constructor() { super(); writeSync(2, 'makes a format of numbers\\n'); } };
`)}`;

/** Source folders (`src/store`) and packages (`kysely`) that a command line loads, and what it makes. */
function loadedBy(...args: readonly string[]): ReadonlySet<string> {
  const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
  const command = ['--import', printLoads, join(root, 'bin/slotstream.js'), ...args];
  return partsIn(spawnSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' }).stderr);
}

function partsIn(text: string): ReadonlySet<string> {
  const paths = [...text.matchAll(/^loads file:\/\/(.*)$/gm)].map(([, path = '']) => path);
  return new Set([
    ...[...text.matchAll(/^makes (.*)$/gm)].map(([, made = '']) => made),
    ...paths.map((path) => {
      const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      return (
        name ??
        path
          .slice(root.length + 1)
          .split('/')
          .slice(0, path.includes('/commands/') ? 3 : 2)
          .join('/')
      );
    }),
  ]);
}

describe('the modules that a command line loads', () => {
  it('are only the parser and the table of verbs for --help', () => {
    expect([...loadedBy('--help')].toSorted()).toEqual([
      'bin/slotstream.js',
      'commander',
      'package.json',
      'src/base',
      'src/cli',
      'src/observability',
    ]);
  });

  it('exclude the queue, the receiver, the API client, unused drivers and formats for status', () => {
    const loaded = loadedBy('status', '--json');
    expect(loaded).toContain('src/cli/commands');
    for (const part of [
      'a format of numbers',
      'src/queue',
      'src/receiver',
      'src/sandbox',
      'src/upstream',
      'bullmq',
      'ioredis',
      'pg',
      'hono',
    ])
      expect([part, loaded.has(part)]).toEqual([part, false]);
  });
});
