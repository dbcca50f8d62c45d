// Redis forgets what it accepted: every delivery that was answered 2xx is in the log all the same.
import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home, type RunningProduct } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { startClusterWithReplica, startSentinelPair, type Failover } from '../../harness/redis-failover.ts';
import { openSender, type Sender } from '../../harness/mirror/sender.ts';
import { contactDelivery, contactStory } from '../../harness/data/contact-deliveries.ts';

interface Scene extends AsyncDisposable {
  readonly home: Home;
  readonly receiver: RunningProduct;
  readonly sender: Sender;
}

/** A receiver without a worker: nothing leaves the queue until the test starts one. */
async function openScene(queueUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const home = await openHome({ QUEUE_URL: queueUrl, ...settings });
  const receiver = await home.open('receive');
  const sender = openSender({ url: receiver.webhook, key: home.signingKey, retries: true, lanes: 4 });
  return {
    home,
    receiver,
    sender,
    [Symbol.asyncDispose]: async () => {
      sender.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

async function surviveFailover(redis: Failover): Promise<void> {
  await using scene = await openScene(redis.url);
  const { home, receiver, sender } = scene;
  await sender.send(contactStory({ contacts: 5, versions: 4, name: 'before' }));
  await redis.cutOff();
  const keys = async (): Promise<number> => Number(await redis.master.cli('dbsize'));
  const inQueue = await keys();
  // On a busy machine, Redis may be too slow for a batch, which is on disk then: the master alone must have accepted some.
  for (let round = 0; (await keys()) <= inQueue; round += 1)
    await sender.send(contactStory({ contacts: 5, versions: 10, name: `cut-off-${round}` }));
  await redis.loseMaster();
  await sender.send(contactStory({ contacts: 5, versions: 4, name: 'after' }));
  await home.open('work');
  await judge(home.store, sender.sent);
  expect(receiver.output()).toContain('"code":"queue_lost_jobs"');
}

// At once, because most of the time is waited away.
describe.runIf(inject('redisUrl')).concurrent('accepted deliveries', () => {
  it('arrive after Redis was wiped before a worker took them', async () => {
    await using redis = await startRedis();
    await using scene = await openScene(redis.url);
    const { home, receiver, sender } = scene;
    await sender.send(contactStory({ contacts: 4, versions: 5 }));
    // On a busy machine, Redis may be too slow for every batch: they are on disk only, until it answers.
    const waiting = (): Promise<string> => redis.cli('llen', '{slotstream}:deliveries:wait');
    await until(async () => (await waiting()) !== '0', 'a job waits in Redis');
    await redis.cli('flushall');
    await until(() => receiver.output().includes('"code":"queue_lost_jobs"'), 'the receiver has noticed it');
    await until(async () => (await home.run(['doctor'])).out.includes('The queue lost jobs once'), 'doctor says so');
    await home.open('work');
    await judge(home.store, sender.sent);
    const status = (await (await receiver.admin('/api/status')).json()) as { disk_log: object };
    expect(status.disk_log).toMatchObject({ losses: 1, is_full: false });
    const metrics = await (await receiver.admin('/metrics')).text();
    expect(metrics).toContain('slotstream_queue_losses_total 1');
    expect(metrics).toMatch(/^slotstream_disk_log_requeued_total [1-9]/m);
  });

  it('arrive after the end of the append-only file was lost', async () => {
    await using redis = await startRedis();
    await using scene = await openScene(redis.url);
    const { home, receiver, sender } = scene;
    await sender.send(contactStory({ contacts: 5, versions: 5 }));
    await redis.kill9();
    const folder = join(redis.dir, 'appendonlydir');
    const log = (await readdir(folder)).find((name) => name.endsWith('.incr.aof')) ?? '';
    const { size } = await stat(join(folder, log));
    await truncate(join(folder, log), Math.floor(size / 3));
    await redis.restart();
    await until(() => receiver.output().includes('"code":"queue_lost_jobs"'), 'the receiver has noticed it');
    await home.open('work');
    await judge(home.store, sender.sent);
  });

  it('arrive after Sentinel made a master of a replica that was cut off', async () => {
    await using redis = await startSentinelPair();
    await surviveFailover(redis);
  });

  it('arrive after a Cluster made a master of a replica that was cut off', async () => {
    await using redis = await startClusterWithReplica();
    await surviveFailover(redis);
  });

  it('are rejected with 503 while the disk log is full, and accepted again when a worker has caught up', async () => {
    await using redis = await startRedis();
    await using scene = await openScene(redis.url, { DISK_LOG_MAX_MB: '1' });
    const { home, receiver } = scene;
    const sender = openSender({ url: receiver.webhook, key: home.signingKey, lanes: 1 });
    // Each alone in its batch, and not compressible.
    const large = (id: number): string =>
      contactDelivery({ id: `large-${id}`, version: 1, more: { company: noise(200_000) } });
    await sender.send(Array.from({ length: 10 }, (_, at) => large(at)));
    const answers = sender.sent.map((one) => one.answers.at(-1));
    expect(new Set(answers)).toEqual(new Set([202, 503]));
    await until(async () => (await receiver.readiness()) === 503, 'it says so');
    await home.open('work');
    await until(async () => (await receiver.readiness()) === 200, 'it is ready again');
    await sender.send([large(11)]);
    expect(sender.sent.at(-1)?.answers).toEqual([202]);
    await judge(home.store, sender.sent);
    sender.close();
  });
});

const noise = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(97 + Math.random() * 26)).join('');
