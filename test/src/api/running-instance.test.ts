// How a command finds the running processes: only they get the admin token, and one that answers nonsense does not hide the others.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askRunning, writeAddress } from '#src/api/running-instance.ts';
import { openServer } from '../../harness/ports.ts';

/** A program that listens, with the requests it got. */
async function listen(body: string) {
  const tokens: (string | undefined)[] = [];
  const server = await openServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.end(body);
  });
  return { ...server, tokens };
}

function openFolder() {
  const path = mkdtempSync(join(tmpdir(), 'slotstream-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

const request = { token: () => 'a-token-of-sixteen-bytes', path: '/api/status' };

describe('a command', () => {
  it('asks every process on the data folder, and leaves out one that does not answer with JSON', async () => {
    using folder = openFolder();
    await using other = await listen('<html>');
    await using product = await listen('{"roles":{}}');
    for (const { url, port } of [other, product]) writeAddress(folder.path, { url, port, works: true });
    expect(await askRunning(folder.path, request)).toEqual([{ roles: {} }]);
  });

  it.runIf(existsSync('/proc/self/stat'))(
    'gives the token to no process that only has the number of an ended one',
    async () => {
      using folder = openFolder();
      await using other = await listen('{}');
      writeAddress(folder.path, { ...other, works: true });
      const path = join(folder.path, `admin-address-${other.port}`);
      const [url, pid, role, start] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, `${url}\n${pid}\n${role}\n${Number(start) - 1}\n`);
      await expect(askRunning(folder.path, request)).rejects.toMatchObject({ code: 'not_running' });
      expect(other.tokens).toEqual([]);
    },
  );
});
