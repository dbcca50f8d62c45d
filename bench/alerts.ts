// The time from sending the delivery of a no-show to the call to Slack, without a grace period.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { startRedis } from '../test/harness/redis.ts';
import { percentile, type Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';
import { send } from './visible.ts';

const perSecond = 50;
const seconds = 10;
const total = perSecond * seconds;

export const alerts: Measurement = {
  name: 'alerts',
  about: `from the delivery of a no-show to the call to Slack, at ${perSecond} no-shows/s on Redis and SQLite`,
  async run() {
    await using redis = await startRedis();
    using folder = temporaryFolder();
    await using slack = await openSlack();
    await using product = await startProduct('start', {
      DATA_DIR: folder.path,
      QUEUE_URL: redis.url,
      ALERT_SLACK_URL: slack.url,
      ALERT_ALLOW_PRIVATE: 'true',
      ALERT_GRACE: '0',
    });
    const sentAt = new Map<string, number>();
    const startedAt = performance.now();
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < total; n += 1) {
      const dueMs = startedAt + (n * 1000) / perSecond - performance.now();
      if (dueMs > 1) await wait(dueMs);
      const name = `number-${n}`;
      const body = noShowOf(n, name);
      sentAt.set(name, performance.now());
      answers.push(send(product.port, body));
    }
    await Promise.all(answers);
    for (const endAt = Date.now() + 30_000; slack.calledAt.size < total && Date.now() < endAt;) await wait(10);
    if (slack.calledAt.size < total) throw new Error(`Slack received ${slack.calledAt.size} of ${total} no-shows`);
    // The first second warms the code up.
    const delays = [...sentAt]
      .slice(perSecond)
      .map(([name, sentMs]) => (slack.calledAt.get(name) ?? Number.POSITIVE_INFINITY) - sentMs);
    return [
      { name: 'alerts.p50_ms', value: percentile(delays, 0.5) },
      { name: 'alerts.p99_ms', value: percentile(delays, 0.99), limit: ['<=', 250] },
      { name: 'alerts.calls_per_fact', value: slack.calls() / total, limit: ['<=', 1] },
    ];
  },
};

const sample = createSampler(6);

function noShowOf(index: number, name: string): string {
  const { payload, ...envelope } = sample('invitee_no_show.created', { index, now: new Date() });
  return JSON.stringify({ ...envelope, payload: { ...payload, name, first_name: null, last_name: null } });
}

async function openSlack() {
  const calledAt = new Map<string, number>();
  let calls = 0;
  const server = createServer((request, response) => {
    const atMs = performance.now();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      calls += 1;
      const name = /number-\d+/.exec(body)?.[0] ?? '';
      if (!calledAt.has(name)) calledAt.set(name, atMs);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/bench`,
    calledAt,
    calls: () => calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
