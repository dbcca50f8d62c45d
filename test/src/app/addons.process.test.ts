// A process loads an add-on, and the package it is for, only where it is configured.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openHome, type Settings } from '../../harness/product.ts';
import { freePort, until } from '../../harness/ports.ts';

const main = join(import.meta.dirname, '../../../bin/slotstream.js');
const hooks = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n');
    return next(url, context);
  },
});`;

/** What of the add-ons a process has loaded by the time that it is ready. The sources, because a bundle names no packages. */
async function loadedBy(settings: Settings): Promise<readonly string[]> {
  await using home = await openHome(settings);
  const [preload, loaded] = [join(home.dataDir, 'hooks.mjs'), join(home.dataDir, 'loaded')];
  await writeFile(preload, hooks);
  const child = spawn(process.execPath, ['--import', pathToFileURL(preload).href, main, 'start'], {
    env: { ...home.settings, LOADED: loaded },
    cwd: home.dataDir,
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${home.settings['PORT']}/readyz`;
    await until(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      'the process is ready',
    );
  } finally {
    child.kill('SIGKILL');
  }
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
