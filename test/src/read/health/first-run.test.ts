// The first steps of a new installation, as commands to copy.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { firstRun } from '#src/read/health/first-run.ts';

const input = { isPolled: false, hasSubscription: false, isFilled: false, hasDelivery: false, isEmpty: true };
const settings = (missingSettings: readonly string[]) => firstRun({ ...input, missingSettings }).steps[0];

it('the first step makes a file that only its owner reads, keeps one that exists, and names the ways without a public address (A33)', () => {
  const step = settings(['API_TOKEN', 'PUBLIC_URL']);
  const folder = mkdtempSync(join(tmpdir(), 'first-run-'));
  const file = join(folder, '.env');
  // The command names the example by its way from this folder.
  const example = join(import.meta.dirname, '../../../../.env.example');
  const run = () =>
    execFileSync('sh', ['-c', (step?.command ?? '').replace(/\S+\.env\.example/, example)], { cwd: folder });
  run();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'API_TOKEN=mine');
  run();
  expect(statSync(file).size).toBe('API_TOKEN=mine'.length);
  rmSync(folder, { recursive: true });
  expect(step?.sentence).toMatch(/No public address\?.*API_TOKEN alone.*start --tunnel/);
  expect(settings(['API_TOKEN'])?.sentence).not.toContain('No public address');
});
