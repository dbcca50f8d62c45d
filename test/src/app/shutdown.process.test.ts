// Shutdown: a stopped process finishes what it accepted. A data folder has one owner at a time, which a second start names.
import { describe, expect, inject, it } from 'vitest';
import { judge } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home, type RunningProduct } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';

/** A sender may see 2xx, a request to retry, or no response, and nothing else. */
const honest = new Set<number | string>([202, 503, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

async function stopUnderLoad(home: Home, product: RunningProduct): Promise<void> {
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  let over = false;
  const sending = sender.send(whilst(() => !over, contactStory({ contacts: 40, versions: 200 })));
  await until(() => sender.accepted() >= 100, 'the load is on');
  const ending = product.term();
  await until(async () => (await product.readiness()) === 503, 'it says that it is going');
  const code = await ending;
  over = true;
  await sending;
  sender.close();

  expect(code).toBe(0);
  expect(sender.sent.flatMap(({ answers }) => answers).filter((answer) => !honest.has(answer))).toEqual([]);
  expect(await product.readiness()).toBe(0);
  await home.open('start');
  await judge(home.store, sender.sent);
}

describe('a process that is stopped under load', () => {
  it('answers pending requests, exits with 0 and loses nothing, on the embedded queue, also after one was killed', async () => {
    await using home = await openHome();
    const first = await home.start('start');
    const second = await home.run(['start'], { PORT: '0' });
    expect([second.code, second.err]).toEqual([2, expect.stringContaining(`process ${first.pid} on `)]);
    expect(second.err).toContain('→ Stop that process, or give this one its own DATA_DIR.');
    // It is no owner any more.
    await first.kill9();
    await stopUnderLoad(home, await home.start('start'));
  });

  it.runIf(inject('redisUrl'))('answers what it began, ends well and loses nothing, on Redis', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    await stopUnderLoad(home, await home.open('start'));
  });

  it.runIf(inject('redisUrl'))('ends well although Redis has gone', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    const product = await home.open('start');
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await redis.kill9();
    await sender.send(contactStory({ contacts: 5, versions: 5 }));
    sender.close();
    expect(await product.term()).toBe(0);
    await redis.restart();
    await home.open('start');
    await judge(home.store, sender.sent);
  });
});

describe('an embedded data folder', () => {
  it.each(['receive', 'work'])('is rejected by `%s`, which needs a shared queue', async (verb) => {
    await using home = await openHome();
    const { code, err } = await home.run([verb]);
    expect(code).toBe(2);
    expect(err).toContain('→ Set QUEUE_URL to redis://… or postgres://…');
  });
});
