// The feed pushed as signed webhooks by a process that is killed.
import { describe, expect, inject, it } from 'vitest';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { openStore } from '#src/store/open-store.ts';
import { endLeases } from '../../oracle/deliveries.ts';
import { openCallback, type Received } from '../../harness/sandbox/callback-server.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type RunningProduct } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactStory } from '../../harness/data/contact-deliveries.ts';

const secret = `whsec_${Buffer.from('a secret of the tests, long enough').toString('base64')}`;
const seqOf = ({ body }: Received) => (body as { data: { seq: number } }).data.seq;
const idOf = ({ headers }: Received) => String(headers['webhook-id']);

/** Whether the queue is empty. */
async function isIdle(product: RunningProduct): Promise<boolean> {
  const { queue } = (await (await product.admin('/api/status')).json()) as { queue: Record<string, unknown> };
  return ['waiting', 'delayed', 'active'].every((state) => Number(queue[state] ?? 0) === 0);
}

describe.runIf(inject('redisUrl'))('a process that pushes', () => {
  it('killed in the middle of it leaves no gap: the next one sends again what may not have arrived', async () => {
    await using callback = await openCallback();
    await using redis = await startRedis();
    await using home = await openHome({
      QUEUE_URL: redis.url,
      FEED_PUSH_URL: callback.url,
      FEED_PUSH_SECRET: secret,
      FEED_PUSH_ALLOW_PRIVATE: 'true',
    });
    const product = await home.start('start');
    await using mirror = await openStore({ report: () => {} }, home.store);
    await until(async () => (await readPosition(mirror, 'sink:webhook')) !== undefined, 'the sink has a position');
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    const sending = sender.send(contactStory({ contacts: 10, versions: 12 }));
    await until(() => callback.received.length > 20, 'some of it is pushed');
    await product.kill9();
    await endLeases(home.store);
    sender.close();
    await sending.catch(() => undefined);
    const survivor = await home.open('start');
    // The batches of a killed worker come again seconds later.
    await until(
      async () => (await isIdle(survivor)) && (await readPosition(mirror, 'sink:webhook')) === (await lastSeq(mirror)),
      'everything is logged and pushed',
    );
    const last = await lastSeq(mirror);
    const arrived = new Set(callback.received.map(seqOf));
    expect(Array.from({ length: last }, (_, n) => n + 1).filter((seq) => !arrived.has(seq))).toEqual([]);
    expect(arrived.size).toBe(last);
    for (const [, copies] of Map.groupBy(callback.received, seqOf)) expect(new Set(copies.map(idOf)).size).toBe(1);
    const status = (await (await survivor.admin('/api/status')).json()) as { sinks: object };
    expect(status.sinks).toMatchObject({ webhook: { position: last, behind: 0, failing: 0 } });
    expect(await (await survivor.admin('/metrics')).text()).toContain('slotstream_sink_behind{sink="webhook"} 0');
    expect(home.output()).not.toContain(callback.url);
    expect(home.output()).not.toContain(secret);
    expect(await survivor.term()).toBe(0);
  });
});
