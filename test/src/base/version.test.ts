import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { commitOf, version } from '#src/base/version.ts';
import manifest from '../../../package.json' with { type: 'json' };

it('the version of a checkout has its commit', () => {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 9);
  expect(version).toBe(`${manifest.version} (${commit})`);
});

it('a folder that is no checkout has no commit', () => {
  expect([commitOf(tmpdir()), commitOf(import.meta.dirname)]).toEqual(['', '']);
});
