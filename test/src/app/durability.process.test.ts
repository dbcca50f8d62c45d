// A 2xx means safe, also on a Redis Cluster: the process is killed under load, and whatever it had answered 2xx is in the log once. `test/chaos` does the same on the other queues.
import { expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startCluster } from '../../harness/redis-failover.ts';
import { isLongRun } from '../../harness/runs.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';

const kills = isLongRun ? 10 : 1;
// Far more than a test sends: the load must last until the last kill, however fast the receiver is.
const story = { contacts: 40, versions: 1_000 };

it.runIf(inject('redisUrl'))('killed under load, loses nothing it accepted, on a Redis Cluster', async () => {
  await using cluster = await startCluster();
  await using home = await openHome({ QUEUE_URL: cluster.url });
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
});
