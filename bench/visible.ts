// How long a delivery takes from its arrival to its row, at 200 a second, seen by another process reading the file.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { startRedis } from '../test/harness/redis.ts';
import { bodies, request } from './deliveries.ts';
import { percentile, type Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';

const perSecond = 200;
const seconds = 8;

export const visible: Measurement = {
  name: 'visible',
  about: `from received to visible at ${perSecond} deliveries/s on Redis and SQLite`,
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    await using product = await startProduct('start', { DATA_DIR: folder.path, QUEUE_URL: redis.url });
    const database = new Sqlite(join(folder.path, 'mirror.db'), { readonly: true });
    const fresh = database.prepare<[number], { seq: number; received_at: string }>(
      'select seq, received_at from event_log where seq > ? order by seq',
    );
    const delays: number[] = [];
    let seen = 0;
    const look = () => {
      const nowMs = Date.now();
      for (const { seq, received_at } of fresh.all(seen)) {
        seen = seq;
        delays.push(nowMs - Date.parse(received_at));
      }
    };
    const total = perSecond * seconds;
    const looking = setInterval(look, 2);
    const story = bodies(total, 5);
    const startedAt = performance.now();
    const answers: Promise<unknown>[] = [];
    for (const [index, body] of story.entries()) {
      const dueMs = startedAt + (index * 1000) / perSecond - performance.now();
      if (dueMs > 1) await wait(dueMs);
      answers.push(send(product.port, body));
    }
    await Promise.all(answers);
    for (const endAt = Date.now() + 10_000; delays.length < total && Date.now() < endAt;) await wait(10);
    clearInterval(looking);
    database.close();
    if (delays.length < total) throw new Error(`only ${delays.length} of ${total} became visible`);
    // The first second warms the code up.
    const settled = delays.slice(perSecond);
    return [
      { name: 'visible.p50_ms', value: percentile(settled, 0.5) },
      { name: 'visible.p99_ms', value: percentile(settled, 0.99), limit: ['<=', 100] },
    ];
  },
};

/** The headers `request` made, sent by fetch: 200 a second need no bare socket. */
export async function send(port: number, body: string): Promise<void> {
  const head = request(body).toString('latin1').split('\r\n\r\n', 1)[0] as string;
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ') as [string, string])
      .filter(([name]) => name !== 'host' && name !== 'content-length'),
  );
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
}
