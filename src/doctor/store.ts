// The store: answers, holds nothing in quarantine, and hears of things soon after they happen.
import { openMirror } from '#src/app/mirror.ts';
import type { Store } from '#src/store/contract.ts';
import { latestDelays } from '#src/store/log/delivery-lag.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import type { Check } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';

export const checkStore: Check = async ({ config, log }) => {
  await using store = await openMirror(config, log);
  await store.engine.ping();
  const { engine, last_seq, quarantined, unhandled } = await overviewOf(store);
  const found: Finding[] = [well('store', `${engine} answers; the log holds ${last_seq} places.`)];
  if (quarantined > 0)
    found.push(
      ill(
        'quarantine',
        `${deliveries(quarantined)} could not be projected.`,
        'npx slotstream replay --quarantined --dry-run',
      ),
    );
  if (unhandled > 0)
    found.push(
      doubtful(
        'quarantine',
        `${deliveries(unhandled)} of kinds this version does not know.`,
        'Upgrade, then: npx slotstream replay --quarantined',
      ),
    );
  for (const setting of await store.engine.unsafeSettings())
    found.push(
      doubtful(
        'store',
        `PostgreSQL runs with ${setting}: a crash of its machine loses what was acknowledged.`,
        `In postgresql.conf: ${setting.replace(/ = .*/, ' = on')}; then restart it.`,
      ),
    );
  const missing = await store.engine.contactIndex.missing(store.db);
  if (missing.length > 0)
    found.push(
      doubtful(
        'search',
        'PostgreSQL lacks the index by parts of texts: searching many contacts by name is slow.',
        `In the database, as a user who may: ${missing.join('; ')};`,
      ),
    );
  return [...found, ...(await checkDelays(store))];
};

const deliveries = (count: number) => `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;

const lateSeconds = 300;

async function checkDelays(store: Store): Promise<readonly Finding[]> {
  const delays = await latestDelays(store, 20);
  const slowest = Math.round(Math.max(0, ...delays));
  if (delays.length === 0) return [];
  if (slowest <= lateSeconds)
    return [well('lag', `the last ${deliveries(delays.length)} came at most ${slowest} s after the event.`)];
  return [
    doubtful(
      'lag',
      `of the last ${deliveries(delays.length)}, one came ${slowest} s after the event: it was retried, or a clock is wrong.`,
      'Look for refusals: npx slotstream status, and the lines about clock and public URL here.',
    ),
  ];
}
