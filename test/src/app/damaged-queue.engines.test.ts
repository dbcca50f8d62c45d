// The file of the embedded queue is damaged: the process starts all the same, and says what may be missing.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeRecord } from '#src/receiver/disk-log/segment.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { ask } from '../../oracle/deliveries.ts';

it('a damaged queue file is set aside, the receiver takes deliveries, and what the disk log has becomes rows', async () => {
  await using home = await openHome();
  const write = (folder: string, name: string, content: string | Buffer) => {
    mkdirSync(join(home.dataDir, folder), { recursive: true });
    writeFileSync(join(home.dataDir, folder, name), content);
  };
  write('queue', 'jobs.db', 'no database'.repeat(1000));
  const body = contactDelivery({ id: 'on-disk', version: 1 });
  const delivery = { body, receivedAt: '2025-04-14T11:42:33.000000Z' };
  write('disk-log/dead', '0000000001.segment', encodeRecord({ id: 'dead-1', v: 1, deliveries: [delivery] }, 1));
  const product = await home.open('start');
  expect(product.output()).toMatch(/the file of the embedded queue is damaged and was set aside.*may be missing/);
  expect(product.output()).toContain('reconcile --repair');
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  await sender.send([contactDelivery({ id: 'sent', version: 1 })]);
  sender.close();
  expect(sender.accepted()).toBe(1);
  const logged = async () => Number((await ask(home.store, 'select count(*) as n from event_log'))[0]?.['n']);
  await until(async () => (await logged()) === 2, 'both are in the log');
  expect(readdirSync(join(home.dataDir, 'queue'))).toContainEqual(expect.stringMatching(/^damaged-.*-jobs\.db$/));
  expect((await home.run(['doctor'])).out).toMatch(/✗ queue: 1 damaged file \(damaged-\S+-jobs\.db\)/);
});
