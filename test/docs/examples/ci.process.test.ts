// The script for CI: sandbox, mirror and booking, from nothing to a row.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '../../harness/ports.ts';
import { productMain } from '../../harness/running-verb.ts';

const script = join(import.meta.dirname, '../../../docs/examples/ci.sh');

it('the script for CI starts a sandbox and a mirror, books, and ends when the booking is a row', async () => {
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(await freePort()), ADMIN_PORT: '0' };
  const { stdout } = await promisify(execFile)(script, { cwd: join(productMain, '../..'), env });
  expect(stdout).toMatch(/ada@example\.test,active\r\n$/);
});
