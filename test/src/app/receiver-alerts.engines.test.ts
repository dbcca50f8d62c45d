// What goes wrong at a receiver is alerted by a worker with another data folder, which sees only what the receiver reports.
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { openAlertReceivers, type AlertReceivers } from '../../harness/alerts/alert-receivers.ts';
import { contactDelivery, contactStory } from '../../harness/data/contact-deliveries.ts';
import { openSender, signed } from '../../harness/mirror/sender.ts';
import { openHome, type Settings, type Starting } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

/** Not compressible. */
const noise = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(97 + Math.random() * 26)).join('');

const isAvailable = inject('redisUrl') !== '' && inject('postgresUrl') !== '';

// Concurrent, because they mostly wait for the next report of a receiver.
describe.runIf(isAvailable).concurrent('a worker alerts that at a receiver', () => {
  const opened = new AsyncDisposableStack();
  let database: string;
  let inbox: AlertReceivers;
  beforeAll(async () => {
    database = await copyPostgres();
    inbox = opened.use(await openAlertReceivers());
    const { url } = opened.use(await startRedis());
    const settings = { ...inbox.settings, DATABASE_URL: database, QUEUE_URL: url, WATCH_EVERY: '1s' };
    await opened.use(await openHome(settings)).open('work');
  });
  afterAll(() => opened.disposeAsync());

  /** A receiver with a queue that no worker empties. */
  async function startReceiver(settings: Settings = {}, how: Starting = {}) {
    await using parts = new AsyncDisposableStack();
    const redis = parts.use(await startRedis());
    const home = parts.use(await openHome({ DATABASE_URL: database, QUEUE_URL: redis.url, ...settings }));
    const { webhook } = await home.open('receive', how);
    const sender = parts.adopt(openSender({ url: webhook, key: home.signingKey, lanes: 1 }), (each) => each.close());
    const resources = parts.move();
    return { redis, home, webhook, sender, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }
  const alerts = () => inbox.webhook.received.map(({ raw }) => raw.toString()).join('\n');

  it('the disk log is full', async ({ expect }) => {
    await using receiver = await startReceiver({ DISK_LOG_MAX_MB: '1' });
    const large = (id: number) => contactDelivery({ id: `large-${id}`, version: 1, more: { company: noise(200_000) } });
    await receiver.sender.send(Array.from({ length: 10 }, (_, at) => large(at)));
    await expect.poll(alerts).toMatch(/The disk log of receive on \S+ \(pid \d+\) is full and takes no deliveries\./);
  });

  it('the queue lost jobs', async ({ expect }) => {
    await using receiver = await startReceiver();
    await receiver.sender.send(contactStory({ contacts: 2, versions: 2 }));
    await receiver.redis.cli('flushall');
    await expect.poll(alerts).toContain('The queue lost jobs once within the last 10 minutes');
  });

  it('correctly signed deliveries are rejected as too old', async ({ expect }) => {
    await using receiver = await startReceiver();
    const body = contactDelivery({ id: 'a', version: 1 });
    const headers = signed(receiver.home.signingKey, body, Math.floor(Date.now() / 1000) - 3_600);
    const { status } = await fetch(receiver.webhook, { method: 'POST', headers, body });
    expect(status).toBe(401);
    await expect.poll(alerts).toContain('1 correctly signed delivery was rejected as too old');
  });

  it('a disk is almost full', async ({ expect }) => {
    await using receiver = await startReceiver({ MIN_FREE_DISK_MB: '1048576' }, { until: 'answering' });
    await receiver.sender.send([contactDelivery({ id: 'a', version: 1 })]);
    expect(receiver.sender.sent[0]?.answers).toEqual([503]);
    await expect.poll(alerts).toMatch(/Little free disk space: .*disk log \d+ MB/);
  });
});
