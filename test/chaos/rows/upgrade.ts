// The row about an upgrade from the previous release during load, in the order of docs/backup.md: workers first, then receivers.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productMain } from '../../harness/running-verb.ts';
import { redisAndPostgres, temporaryFolder, type InstallationOf, type WithPostgres } from '../engines.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

/** The newest tag before this commit. */
const previousRelease = (): string => git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^').toString().trim();

async function hasNoRelease(): Promise<string | undefined> {
  try {
    previousRelease();
    return undefined;
  } catch {
    return 'the repository here has no release before this commit';
  }
}

/** Its program, in a temporary folder. It uses the packages that are installed here, which can be newer than its own. */
async function unpackPreviousRelease(resources: AsyncDisposableStack): Promise<string> {
  const folder = await temporaryFolder('previous', resources);
  await mkdir(join(folder, 'release'));
  execFileSync('tar', ['-x', '-C', join(folder, 'release')], {
    input: git('archive', '--format=tar', previousRelease(), 'bin', 'src', 'workers', 'schemas', 'package.json'),
  });
  await symlink(join(repository, 'node_modules'), join(folder, 'release', 'node_modules'));
  return join(folder, 'release', 'bin', 'slotstream.js');
}

const onPreviousRelease: InstallationOf<WithPostgres> = {
  on: redisAndPostgres.on,
  open: async (resources) => ({
    ...(await redisAndPostgres.open(resources)),
    program: await unpackPreviousRelease(resources),
  }),
};

async function upgrade({ engines, stack, load, wait }: Run<WithPostgres>): Promise<string> {
  const migrations = async (): Promise<readonly string[]> => {
    const rows = await ask<{ name: string }>(engines.store, 'select name from kysely_migration order by name');
    return rows.map(({ name }) => name);
  };
  const before = await migrations();
  await wait(3_000);
  await Promise.all(stack.workers.map((worker) => worker.stop()));
  const stoppedAt = load.accepted();
  const [first, ...others] = stack.workers;
  await first?.start({ program: productMain });
  const waited = load.accepted() - stoppedAt;
  const after = await migrations();
  await Promise.all(others.map((worker) => worker.start({ program: productMain })));
  // Old receivers, new workers.
  await wait(3_000);
  for (const receiver of stack.receivers) {
    await receiver.stop();
    await receiver.start({ program: productMain });
    await wait(1_000);
  }
  const added = after.filter((name) => !before.includes(name));
  if (waited === 0) throw new Error('nothing was acknowledged while no worker ran');
  return `${previousRelease()} with ${before.length} migrations; ${waited} acknowledged by old receivers while no worker ran; the first new worker added ${added.join(', ') || 'none'}`;
}

const name = 'upgrade from the previous release (with the packages of this one)';
export const upgradeRows: readonly Scenario[] = [
  scenario(name, onPreviousRelease, upgrade, { obstacle: hasNoRelease }),
];
