// What goes wrong at a receiver is alerted by a worker with another data folder, which sees only what the receiver reports.
import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { eventually } from '../../harness/moments.ts';
import { openAlertReceivers } from '../../harness/alerts/alert-receivers.ts';
import { contactDelivery, contactStory } from '../../harness/data/contact-deliveries.ts';
import { openSender, signed } from '../../harness/mirror/sender.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

it.runIf(inject('redisUrl') !== '' && inject('postgresUrl') !== '')(
  'a worker alerts that at a receiver the queue lost jobs, deliveries are too old, and the disk log is full',
  async () => {
    const DATABASE_URL = await copyPostgres();
    await using inbox = await openAlertReceivers();
    await using redis = await startRedis();
    await using other = await startRedis();
    await using worker = await openHome({ ...inbox.settings, DATABASE_URL, QUEUE_URL: other.url, WATCH_EVERY: '1s' });
    await worker.open('work');
    // With a queue that no worker empties.
    await using home = await openHome({ DATABASE_URL, QUEUE_URL: redis.url, DISK_LOG_MAX_MB: '1' });
    const { webhook } = await home.open('receive');
    const sender = openSender({ url: webhook, key: home.signingKey, lanes: 1 });
    await sender.send(contactStory({ contacts: 2, versions: 2 }));
    await redis.cli('flushall');
    const body = contactDelivery({ id: 'a', version: 1 });
    const headers = signed(home.signingKey, body, Math.floor(Date.now() / 1000) - 3_600);
    expect((await fetch(webhook, { method: 'POST', headers, body })).status).toBe(401);
    const alerts = () => inbox.webhook.received.map(({ raw }) => raw.toString()).join('\n');
    await eventually(alerts).toContain('The queue lost jobs once within the last 10 minutes');
    await eventually(alerts).toContain('1 correctly signed delivery was rejected as too old');
    // Not compressible.
    const company = () => randomBytes(150_000).toString('base64');
    await sender.send(
      Array.from({ length: 10 }, (_, at) =>
        contactDelivery({ id: `large-${at}`, version: 1, more: { company: company() } }),
      ),
    );
    sender.close();
    await eventually(alerts).toMatch(/The disk log of receive on \S+ \(pid \d+\) is full and takes no deliveries\./);
  },
);
