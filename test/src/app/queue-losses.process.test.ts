// Redis forgets what it accepted: every delivery that was answered 2xx is in the log all the same.
import { describe, expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactStory } from '../../harness/data/contact-deliveries.ts';

describe.runIf(inject('redisUrl'))('accepted deliveries', () => {
  it('arrive after Redis was wiped before a worker took them', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    const receiver = await home.start('receive');
    const sender = openSender({ url: receiver.webhook, key: home.signingKey, lanes: 1 });
    await sender.send(contactStory({ contacts: 4, versions: 5 }));
    expect(sender.sent.every(({ answers }) => answers.at(-1) === 202)).toBe(true);
    await redis.cli('flushall');
    await home.start('work');
    await judge(home.store, sender.sent);
    sender.close();
    expect(receiver.output()).toContain('"code":"queue_lost_jobs"');
  });
});
