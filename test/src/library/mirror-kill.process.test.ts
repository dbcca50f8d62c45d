// kill -9 between the effect of a handler and its offset.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { signWebhook } from '#src/library/webhooks.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { endWithThisProcess } from '../../harness/children.ts';
import { until } from '../../harness/ports.ts';

const key = 'a signing key of thirty-two bytes';

it('a handler whose process is killed between its effect and its offset is called again, and skips nothing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slotstream-handler-'));
  const file = join(dataDir, 'effects');
  const effects = (): readonly number[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  const start = async (hangs: boolean) => {
    const settings = { dataDir, signingKeys: [key], port: 0, host: '127.0.0.1', minFreeDiskMb: 0, file, hangs };
    const script = join(import.meta.dirname, 'handler-child.ts');
    const child = endWithThisProcess(spawn(process.execPath, [script, JSON.stringify(settings)]));
    const [port] = await once(child.stdout, 'data');
    return { child, url: `http://127.0.0.1:${Number(String(port))}/webhooks` };
  };
  const first = await start(true);
  const sample = createSampler(1);
  for (let index = 0; index < 8; index += 1) {
    const body = JSON.stringify(sample('contact.created', { index, now: new Date() }));
    const { status } = await fetch(first.url, { method: 'POST', body, headers: signWebhook({ body, key }) });
    expect(status).toBe(202);
  }
  await until(() => effects().length >= 3, 'the third effect has happened');
  first.child.kill('SIGKILL');
  await once(first.child, 'close');

  const database = new Sqlite(join(dataDir, 'mirror.db'));
  // The lease of the process that was killed, which would take 15 seconds to end.
  database.prepare(`delete from key_values where key like '%handler effects%'`).run();
  database.close();
  const second = await start(false);
  // The first process may have had all eight effects: the handler of another subject does not wait for the third.
  const isRepeated = () => new Set(effects()).size === 8 && effects().length > 8;
  await until(isRepeated, 'every entry has had its effect, and one was handled again');
  second.child.kill('SIGKILL');
  await once(second.child, 'close');
  expect([...new Set(effects())].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  rmSync(dataDir, { recursive: true, force: true });
});
