// kill -9 between the effect of a handler and its offset.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createMirror } from '#src/library/mirror.ts';
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
  const settings = {
    dataDir,
    signingKeys: [key],
    port: 0,
    host: '127.0.0.1',
    minFreeDiskMb: 0,
    logLevel: 'silent',
  } as const;
  const script = join(import.meta.dirname, 'handler-child.ts');
  const env = { ...process.env, EFFECTS: file, SETTINGS: JSON.stringify(settings) };
  const child = endWithThisProcess(spawn(process.execPath, [script], { env }));
  const [port] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${Number(String(port))}/webhooks`;
  const sample = createSampler(1);
  for (let index = 0; index < 8; index += 1) {
    const body = JSON.stringify(sample('contact.created', { index, now: new Date() }));
    const { status } = await fetch(url, { method: 'POST', body, headers: signWebhook({ body, key }) });
    expect(status).toBe(202);
  }
  await until(() => effects().length >= 3, 'the third effect has happened');
  child.kill('SIGKILL');
  await once(child, 'close');

  const database = new Sqlite(join(dataDir, 'mirror.db'));
  // The lease of the process that was killed, which would take 15 seconds to end.
  database.prepare(`delete from key_values where key like '%handler effects%'`).run();
  database.close();
  await using mirror = await createMirror(settings);
  await mirror.on('*', 'effects', ({ entry }) => appendFileSync(file, `${entry.seq}\n`));
  // The first process may have had all eight effects: the handler of another subject does not wait for the third.
  const isRepeated = () => new Set(effects()).size === 8 && effects().length > 8;
  await until(isRepeated, 'every entry has had its effect, and one was handled again');
  expect([...new Set(effects())].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await mirror.close();
  rmSync(dataDir, { recursive: true, force: true });
});
