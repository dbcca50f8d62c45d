// The previous release of the product, from the history of the repository.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** There are no tags yet: the last commit before recaps, follow-up reads and time zones changed the schema (migrations 0018 to 0020). */
export const previousRelease = '76b15111bfd8f4ddd64fb51ecf27ba06c1e89ef9';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

export async function hasNoHistory(): Promise<string | undefined> {
  try {
    git('cat-file', '-e', `${previousRelease}^{tree}`);
    return undefined;
  } catch {
    return 'the history of the repository is not here';
  }
}

/** Its program, in a temporary folder. It uses the packages that are installed here, which can be newer than its own. */
export async function unpackPreviousRelease(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-previous-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'release'));
  execFileSync('tar', ['-x', '-C', join(folder, 'release')], {
    input: git('archive', '--format=tar', previousRelease, 'bin', 'src', 'workers', 'schemas', 'package.json'),
  });
  await symlink(join(repository, 'node_modules'), join(folder, 'release', 'node_modules'));
  return join(folder, 'release', 'bin', 'slotstream.js');
}
