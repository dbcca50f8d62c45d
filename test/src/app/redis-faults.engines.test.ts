// Redis dies, freezes, refuses or is not there: deliveries are answered 2xx all the same, and none is lost.
import { describe, expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome, type RunningProduct, type Settings } from '../../harness/product.ts';
import { startRedis, type TestRedis } from '../../harness/redis.ts';
import { openSender, type Sender } from '../../harness/mirror/sender.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';

interface Scene {
  readonly redis: TestRedis;
  readonly product: RunningProduct;
  readonly sender: Sender;
}

/** Runs a fault against a running product, then lets the oracle judge. */
async function withRedis(fault: (scene: Scene) => Promise<void>): Promise<void> {
  await using redis = await startRedis();
  await withQueue({ QUEUE_URL: redis.url }, (scene) => fault({ ...scene, redis }));
}

async function withQueue(settings: Settings, fault: (scene: Omit<Scene, 'redis'>) => Promise<void>): Promise<void> {
  await using home = await openHome(settings);
  const product = await home.open('start');
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  await sender.send(contactStory({ contacts: 10, versions: 3, name: 'before' }));
  await fault({ product, sender });
  await until(async () => (await product.readyStatus()) === 'ready', 'it is ready again');
  await sender.send(contactStory({ contacts: 10, versions: 3, name: 'after' }));
  sender.close();
  expect(new Set(sender.sent.flatMap(({ answers }) => answers))).toEqual(new Set([202]));
  await judge(home.store, sender.sent);
}

const during = () => contactStory({ contacts: 10, versions: 10, name: 'during' });

describe.runIf(inject('redisUrl'))('with Redis as the queue', () => {
  it('a Redis killed and restarted under load loses nothing and fails no sender', async () => {
    await withRedis(async ({ redis, sender }) => {
      let over = false;
      const sending = sender.send(whilst(() => !over, contactStory({ contacts: 40, versions: 200 })));
      for (let kill = 1; kill <= 2; kill += 1) {
        const enough = sender.accepted() + 100;
        await until(() => sender.accepted() >= enough, 'some more deliveries are accepted');
        await redis.kill9();
        await redis.restart();
      }
      over = true;
      await sending;
    });
  });

  it('a frozen Redis is bridged by the disk log, and commands that it runs late do not count twice', async () => {
    await withRedis(async ({ redis, sender }) => {
      redis.freeze();
      await sender.send(during());
      redis.thaw();
    });
  });

  it('a Redis that is out of memory is bridged by the disk log', async () => {
    await withRedis(async ({ redis, product, sender }) => {
      await redis.cli('config', 'set', 'maxmemory', '1');
      await sender.send(during());
      // It still answers a ping.
      await until(async () => (await product.readyStatus()) === 'degraded', 'it says that the queue refuses');
      const answer = await fetch(`${product.url}/readyz`);
      expect([answer.status, await answer.json()]).toMatchObject([200, { engines: { queue: 'down', store: 'up' } }]);
      await redis.cli('config', 'set', 'maxmemory', '0');
    });
  });

  it('a process waits for a Redis that is down at the start, while the disk log accepts deliveries', async () => {
    const port = await freePort();
    await using home = await openHome({ QUEUE_URL: `redis://127.0.0.1:${port}` });
    const product = await home.open('start', { until: 'answering' });
    expect([await product.readyStatus(), await product.readiness()]).toEqual(['degraded', 200]);
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send(during());
    expect(new Set(sender.sent.flatMap(({ answers }) => answers))).toEqual(new Set([202]));
    const reported = product.output().match(/"msg":"the queue reports an error[^"]*"/g) ?? [];
    expect(reported, 'one line per minute').toHaveLength(1);
    expect(reported.join()).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
    expect(product.output()).not.toContain('writeable');
    await using _redis = await startRedis({ port });
    await until(async () => (await product.readyStatus()) === 'ready', 'it is ready');
    await judge(home.store, sender.sent);
    sender.close();
  });

  it('a Redis that returns without its append-only file gets nothing until that is fixed', async () => {
    const port = await freePort();
    await using home = await openHome({ QUEUE_URL: `redis://127.0.0.1:${port}` });
    const product = await home.open('start', { until: 'answering' });
    await using redis = await startRedis({ port, appendonly: false });
    await until(() => product.output().includes('keeps deliveries in memory only'), 'it has looked at Redis');
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send(during());
    expect([await product.readyStatus(), await product.readiness()]).toEqual(['degraded', 200]);
    expect(await redis.cli('llen', '{slotstream}:deliveries:wait')).toBe('0');
    await redis.cli('config', 'set', 'appendonly', 'yes');
    await judge(home.store, sender.sent);
    sender.close();
  });

  it('a Redis without its append-only file is rejected at the start, with a fix', async () => {
    await using redis = await startRedis({ appendonly: false });
    await using home = await openHome({ QUEUE_URL: redis.url });
    const { code, err } = await home.run(['start']);
    expect(code).toBe(2);
    expect(err).toContain('a crash would lose all accepted deliveries');
    expect(err).toContain('→ Start Redis with "--appendonly yes", or run CONFIG SET appendonly yes.');
  });
});
