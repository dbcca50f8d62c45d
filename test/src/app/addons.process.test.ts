// The sources start, answer and stop; a process loads an add-on, and the package it is for, only where it is configured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endWithThisProcess } from '../../harness/children.ts';
import { openHome, type Settings } from '../../harness/product.ts';
import { freePort, until } from '../../harness/ports.ts';

const main = join(import.meta.dirname, '../../../bin/slotstream');
const hooks = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n');
    return next(url, context);
  },
});`;

/** What of the add-ons a process has loaded when it ends well after a start. The sources, because a bundle names no packages. */
async function loadedBy(settings: Settings): Promise<readonly string[]> {
  await using home = await openHome(settings);
  const [preload, loaded] = [join(home.dataDir, 'hooks.mjs'), join(home.dataDir, 'loaded')];
  await writeFile(preload, hooks);
  const env = { ...home.settings, LOADED: loaded, NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
  const child = endWithThisProcess(spawn(main, ['start'], { env, cwd: home.dataDir, stdio: 'ignore' }));
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${home.settings['PORT']}/readyz`;
  await until(async () => (await fetch(url).catch(() => undefined))?.ok === true, 'the process is ready');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const names = (await readFile(loaded, 'utf8')).matchAll(
    /src\/addons\/[\w-]+\/[\w-]+|node_modules\/(?:@aws-sdk|@smithy|@modelcontextprotocol|@nats-io|@platformatic|@slack)(?=\/)/g,
  );
  return [...new Set([...names].map(([name]) => name))].toSorted();
}

describe('a process', () => {
  it('loads no add-on that is not configured', async () => {
    expect(await loadedBy({})).toEqual([]);
    expect(
      await loadedBy({ FEED_NATS_URL: `nats://127.0.0.1:${await freePort()}`, MCP_TOKEN: 'm'.repeat(48) }),
    ).toEqual(['node_modules/@nats-io', 'src/addons/brokers/nats']);
  });
});
