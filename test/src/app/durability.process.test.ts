// A 2xx means safe: the process is killed under load, several times, and whatever it had answered 2xx is in the log once.
import { describe, expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { startPostgres } from '../../harness/postgres.ts';
import { openHome, type Settings } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { startCluster } from '../../harness/redis-failover.ts';
import { isLongRun } from '../../harness/runs.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';

const kills = isLongRun ? 10 : 3;
// Far more than a test sends: the load must last until the last kill, however fast the receiver is.
const story = { contacts: 40, versions: 1_000 };

async function surviveKills(settings: Settings): Promise<void> {
  await using home = await openHome(settings);
  let product = await home.start('start');
  const sender = openSender({ url: product.webhook, key: home.signingKey, retries: true });
  let isUnderLoad = true;
  const sending = sender.send(whilst(() => isUnderLoad, contactStory(story)));
  for (let kill = 1; kill <= kills; kill += 1) {
    const enough = sender.accepted() + 100;
    await until(() => sender.accepted() >= enough, 'some more deliveries are accepted');
    await product.kill9();
    if (kill === kills) await home.open('start');
    else product = await home.start('start');
  }
  isUnderLoad = false;
  await sending;
  sender.close();
  expect(
    sender.sent.some(({ answers }) => answers.length > 1),
    'the kills were felt',
  ).toBe(true);
  await judge(home.store, sender.sent);
}

// At once, because most of the time is waited away: for locks of the dead to run out.
describe.concurrent('a process killed under load several times', () => {
  it('loses nothing it accepted, on the embedded queue', async () => {
    await surviveKills({});
  });

  it.runIf(inject('redisUrl'))('loses nothing it accepted, on Redis', async () => {
    await using redis = await startRedis();
    await surviveKills({ QUEUE_URL: redis.url });
  });

  it.runIf(inject('redisUrl'))('loses nothing it accepted, on the shards of a Redis Cluster', async () => {
    await using cluster = await startCluster();
    await surviveKills({ QUEUE_URL: cluster.url, QUEUE_SHARDS: '3' });
  });

  it.runIf(inject('postgresUrl'))('loses nothing it accepted, on PostgreSQL for queue and store', async () => {
    await using postgres = await startPostgres({ durable: true });
    await surviveKills({ QUEUE_URL: postgres.url, DATABASE_URL: postgres.url });
  });

  it.runIf(inject('redisUrl'))('loses nothing it accepted, when Redis is wiped with each kill', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    // Without a worker, so that the journal has the only copy.
    let receiver = await home.start('receive');
    const sender = openSender({ url: receiver.webhook, key: home.signingKey, retries: true });
    let isUnderLoad = true;
    const sending = sender.send(whilst(() => isUnderLoad, contactStory(story)));
    for (let kill = 1; kill <= 2; kill += 1) {
      const enough = sender.accepted() + 100;
      await until(() => sender.accepted() >= enough, 'some more deliveries are accepted');
      await receiver.kill9();
      await redis.cli('flushall');
      receiver = await home.start('receive');
    }
    isUnderLoad = false;
    await sending;
    sender.close();
    await home.open('work');
    await judge(home.store, sender.sent);
  });
});
