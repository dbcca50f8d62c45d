// The version of this program, with the commit that it was made from where that is known.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

/** `.ci/bundle.ts` replaces it in a package and an image. */
declare const BUILT_FROM_COMMIT: string | undefined;

export const version: string = withCommit(
  typeof BUILT_FROM_COMMIT === 'string' ? BUILT_FROM_COMMIT : commitOf(join(import.meta.dirname, '../..')),
);

function withCommit(commit: string): string {
  return commit === '' ? manifest.version : `${manifest.version} (${commit})`;
}

/** Empty where the folder is no checkout; a folder above it may be one of something else. */
export function commitOf(folder: string): string {
  if (!existsSync(join(folder, '.git'))) return '';
  try {
    return execFileSync('git', ['rev-parse', '--short=9', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
