// How long a delivery takes from its arrival to a subscriber of the stream, at 200 a second, in a real process on Redis and SQLite.
import { setTimeout as wait } from 'node:timers/promises';
import { startRedis } from '../test/harness/redis.ts';
import { bodies } from './deliveries.ts';
import { percentile, type Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';
import { send } from './visible.ts';

const perSecond = 200;
const seconds = 8;
const subscribers = 3;

export const feedStream: Measurement = {
  name: 'feed-stream',
  about: `from received to ${subscribers} subscribers of the stream at ${perSecond} deliveries/s on Redis and SQLite`,
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    await using product = await startProduct('start', { DATA_DIR: folder.path, QUEUE_URL: redis.url });
    const leaving = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: subscribers }, () => subscribe(product.adminPort, leaving.signal)),
    );
    const total = perSecond * seconds;
    const startedAt = performance.now();
    const answers: Promise<unknown>[] = [];
    for (const [index, body] of bodies(total, 7).entries()) {
      const dueMs = startedAt + (index * 1000) / perSecond - performance.now();
      if (dueMs > 1) await wait(dueMs);
      answers.push(send(product.port, body));
    }
    await Promise.all(answers);
    const isDone = () => streams.every((delays) => delays.length >= total);
    for (const endAt = Date.now() + 10_000; !isDone() && Date.now() < endAt;) await wait(10);
    leaving.abort();
    if (!isDone()) throw new Error(`of ${total} came ${streams.map((delays) => delays.length).join(', ')}`);
    // The first second warms the code up.
    const settled = streams.flatMap((delays) => delays.slice(perSecond));
    return [
      { name: 'sse.visible_p50_ms', value: percentile(settled, 0.5) },
      { name: 'sse.visible_p99_ms', value: percentile(settled, 0.99), limit: ['<=', 100] },
    ];
  },
};

/** The delay of every event, as it comes. */
async function subscribe(port: number, signal: AbortSignal): Promise<number[]> {
  const headers = { authorization: 'Bearer bench-admin-token' };
  const answer = await fetch(`http://127.0.0.1:${port}/api/feed/stream`, { headers, signal });
  if (answer.body === null || !answer.ok) throw new Error(`The stream answered ${answer.status}.`);
  const delays: number[] = [];
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  // The first block tells the place where it begins: from then on everything comes.
  await reader.read();
  void (async () => {
    let text = '';
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const nowMs = Date.now();
      const blocks = (text + next.value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const receivedAt = /"received_at":"([^"]+)"/.exec(block)?.[1];
        if (receivedAt !== undefined) delays.push(nowMs - Date.parse(receivedAt));
      }
    }
  })().catch(() => undefined);
  return delays;
}
