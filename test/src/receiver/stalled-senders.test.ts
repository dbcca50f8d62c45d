// Unsigned senders that stall or trickle are given up, over real HTTP, and genuine deliveries get through meanwhile.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { exchange, openReceiver } from '../../harness/mirror/receiver.ts';

const kib = 1024;

describe('genuine deliveries', () => {
  const almostAll = Buffer.alloc(kib * kib - 1, 'a');

  /** Sends all of a 1 MiB body but its last byte, unsigned, and begins again a second after it is disconnected. */
  function stall(port: number, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.on('close', () => void again(port, signal));
      signal.addEventListener('abort', () => socket.destroy());
      socket.write(`POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${kib * kib}\r\n\r\n`);
      socket.write(almostAll, () => resolve(socket));
    });
  }

  /** Not at once: sender and receiver share the event loop of this test. */
  async function again(port: number, signal: AbortSignal): Promise<void> {
    await sleep(1000, undefined, { ref: false });
    if (!signal.aborted) await stall(port, signal);
  }

  async function timedPosts(receiver: Awaited<ReturnType<typeof openReceiver>>, name: string) {
    const statuses = new Set<number>();
    const times: number[] = [];
    for (let n = 0; n < 200; n += 1) {
      const startedAt = performance.now();
      statuses.add((await receiver.post(JSON.stringify({ event: name, n, filler: 'x'.repeat(n * 100) }))).status);
      times.push(performance.now() - startedAt);
    }
    return { statuses: [...statuses], p99: times.toSorted((a, b) => a - b)[197] };
  }

  it('all get 202, as fast as before, while unsigned senders stall at the end of large bodies', async () => {
    await using receiver = await openReceiver();
    const quiet = await timedPosts(receiver, 'quiet');
    const attack = new AbortController();
    await Promise.all(Array.from({ length: 80 }, () => stall(receiver.port, attack.signal)));
    const attacked = await timedPosts(receiver, 'attacked');
    attack.abort();
    expect([quiet.statuses, attacked.statuses]).toEqual([[202], [202]]);
    // In milliseconds; generous, because other tests may use the processor at the same time.
    expect(attacked.p99).toBeLessThan(1000);
    expect(receiver.queue.deliveries).toHaveLength(400);
    expect(await receiver.counted('slotstream_evictions_total{reason="body_budget"}')).toBeGreaterThan(0);
  });

  it('of up to the maximum size get 202 too, also without a declared length', async () => {
    await using receiver = await openReceiver();
    const attack = new AbortController();
    await Promise.all(Array.from({ length: 80 }, () => stall(receiver.port, attack.signal)));
    // Time passes, so that those who stall have cost more than one who sends.
    await sleep(200);
    const body = 'y'.repeat(kib * kib);
    expect((await receiver.post(body)).status).toBe(202);
    const stream = new Blob([body]).stream();
    const init = { method: 'POST', body: stream, headers: receiver.sign(body), duplex: 'half' } as RequestInit;
    expect((await fetch(`${receiver.url}/webhooks`, init)).status).toBe(202);
    attack.abort();
  });
});

describe('a sender that is given up', () => {
  const head = (length: number): string => `POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

  it('gets 408 when it trickles, long before the timeout of a request', async () => {
    await using receiver = await openReceiver({ options: { bodyBudget: { windowMs: 200 } } });
    async function* trickle(): AsyncIterable<string> {
      yield head(50_000);
      for (;;) {
        await sleep(10);
        yield 'a';
      }
    }
    const startedAt = performance.now();
    const answer = await exchange(receiver.port, trickle());
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*connection: close[^]*"title":"Request Timeout"/i);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(await receiver.counted('slotstream_evictions_total{reason="slow_body"}')).toBe(1);
    expect(receiver.queue.deliveries).toEqual([]);
  });

  it('gets 503 and the time to come back when others need its memory', async () => {
    await using receiver = await openReceiver({ options: { bodyBudget: { maxBytes: 300 * kib } } });
    const stalled = exchange(receiver.port, [head(220 * kib), Buffer.alloc(200 * kib)]);
    await sleep(100);
    expect((await receiver.post('z'.repeat(80 * kib))).status).toBe(202);
    expect(await stalled).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5[^]*connection: close/i);
    expect(await receiver.counted('slotstream_evictions_total{reason="body_budget"}')).toBe(1);
  });
});
