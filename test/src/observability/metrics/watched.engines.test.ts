// The metrics of real processes say which of their engines is silent.
import { describe, expect, inject, it } from 'vitest';
import { openHome, type RunningProduct } from '../../../harness/product.ts';
import { startRedis } from '../../../harness/redis.ts';
import { openProxy } from '../../../harness/silent-proxy.ts';
import { copyPostgres } from '../../../harness/templates.ts';

async function enginesOf(product: RunningProduct): Promise<Readonly<Record<string, number>>> {
  const text = await (await product.admin('/metrics')).text();
  const lines = text.matchAll(/^slotstream_engine_up\{engine="(queue|store)"\} (\d)$/gm);
  return Object.fromEntries([...lines].map(([, engine = '', value]) => [engine, Number(value)]));
}

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('slotstream_engine_up', () => {
  it('is 0 while an engine accepts connections and is silent, in every process that uses it', async () => {
    await using redis = await startRedis();
    await using proxy = await openProxy(await copyPostgres());
    await using home = await openHome({ QUEUE_URL: redis.url, DATABASE_URL: proxy.url });
    const worker = await home.open('work');
    const receiver = await home.open('receive');
    await expect.poll(() => enginesOf(worker)).toEqual({ queue: 1, store: 1 });
    const outage = proxy.blackHole();
    await expect.poll(() => enginesOf(worker)).toEqual({ queue: 1, store: 0 });
    expect(await enginesOf(receiver)).toEqual({ queue: 1 });
    outage.end();
    redis.freeze();
    await expect.poll(() => enginesOf(receiver)).toEqual({ queue: 0 });
    redis.thaw();
    await expect.poll(() => enginesOf(receiver)).toEqual({ queue: 1 });
  });
});
