// A process starts fast because it loads only what its command line and its settings need.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { endWithThisProcess } from '../../harness/children.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';

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
      const folders = path.slice(root.length + 1).split('/');
      return name ?? folders.slice(0, path.includes('/commands/') ? 3 : 2).join('/');
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
    const ours = ['src/queue', 'src/receiver', 'src/sandbox', 'src/upstream'];
    for (const part of ['a format of numbers', ...ours, 'bullmq', 'ioredis', 'pg', 'hono'])
      expect([part, loaded.has(part)]).toEqual([part, false]);
  });

  it('are of the add-ons those that are configured, and the packages they are for', async () => {
    await using home = await openHome({
      FEED_NATS_URL: `nats://127.0.0.1:${await freePort()}`,
      MCP_TOKEN: 'm'.repeat(48),
    });
    const args = ['--import', printLoads, join(root, 'bin/slotstream.js'), 'start'];
    const child = endWithThisProcess(
      spawn(process.execPath, args, { env: home.settings, cwd: home.dataDir, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    const [ended, printed] = [once(child, 'exit'), text(child.stderr)];
    const url = `http://127.0.0.1:${home.settings['PORT']}/readyz`;
    await until(async () => (await fetch(url).catch(() => undefined))?.ok === true, 'the process is ready');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const ofAddons =
      /src\/addons\/(?:mcp|object-storage)\/[\w-]+|workers\/out\/(?:slack|push\/brokers)\/[\w-]+|node_modules\/(?:@aws-sdk|@smithy|@modelcontextprotocol|@nats-io|@platformatic|@slack)(?=\/)/g;
    const loaded = new Set([...(await printed).matchAll(ofAddons)].map(([name]) => name));
    expect([...loaded].toSorted()).toEqual(['node_modules/@nats-io', 'workers/out/push/brokers/nats']);
  });
});
