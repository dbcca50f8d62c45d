// The script for CI: sandbox, mirror and booking, from nothing to a row.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '../../harness/ports.ts';

const root = join(import.meta.dirname, '../../..');

it('the script for CI starts a sandbox and a mirror, books, and ends when the booking is a row', async () => {
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(await freePort()), ADMIN_PORT: '0' };
  const { stdout } = await promisify(execFile)('docs/examples/ci.sh', { cwd: root, env });
  expect(stdout).toMatch(/ada@example\.test,active\r\n$/);
});
