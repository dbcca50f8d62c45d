// The previous release of the product, from the history of the repository.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

/** The newest tag before this commit. */
export const previousRelease = (): string =>
  git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^').toString().trim();

export async function hasNoRelease(): Promise<string | undefined> {
  try {
    previousRelease();
    return undefined;
  } catch {
    return 'the repository here has no release before this commit';
  }
}

/** Its program, in a temporary folder. It uses the packages that are installed here, which can be newer than its own. */
export async function unpackPreviousRelease(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-previous-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'release'));
  execFileSync('tar', ['-x', '-C', join(folder, 'release')], {
    input: git('archive', '--format=tar', previousRelease(), 'bin', 'src', 'workers', 'schemas', 'package.json'),
  });
  await symlink(join(repository, 'node_modules'), join(folder, 'release', 'node_modules'));
  return join(folder, 'release', 'bin', 'slotstream.js');
}
