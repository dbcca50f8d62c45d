// The row about an upgrade from the previous release during load, in the order of docs/backup.md: workers first, then receivers.
import { productMain } from '../../harness/running-verb.ts';
import { onRedisAndPostgres, redisAndPostgres, type OpenEngines, type WithPostgres } from '../engines.ts';
import { query } from '../faults/postgres.ts';
import { hasNoRelease, previousRelease, unpackPreviousRelease } from '../faults/previous-release.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

const onPreviousRelease: OpenEngines<WithPostgres> = async (resources) => ({
  ...(await redisAndPostgres(resources)),
  program: await unpackPreviousRelease(resources),
});

async function upgrade({ engines, stack, load, wait }: Run<WithPostgres>): Promise<string> {
  const migrations = async (): Promise<readonly string[]> => {
    const rows = await query<{ name: string }>(engines.store, 'select name from kysely_migration order by name');
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

export const upgradeRows: readonly Scenario[] = [
  scenario({
    name: 'upgrade from the previous release (with the packages of this one)',
    on: onRedisAndPostgres.on,
    engines: onPreviousRelease,
    obstacle: hasNoRelease,
    fault: upgrade,
  }),
];
