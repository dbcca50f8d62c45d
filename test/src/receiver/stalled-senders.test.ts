// Unsigned senders that stall or trickle are given up, over real HTTP, and genuine deliveries get through meanwhile.
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { exchange, openReceiver } from '../../harness/mirror/receiver.ts';

const kib = 1024;
const head = (length: number): string => `POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

it('genuine deliveries of any size get 202 while unsigned senders stall at the end of large bodies, again and again', async () => {
  await using receiver = await openReceiver();
  const almostAll = Buffer.alloc(kib * kib - 1, 'a');
  const attack = new AbortController();

  /** Sends all of a 1 MiB body but its last byte, and begins again a second after it is disconnected. */
  function stall(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(receiver.port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      // Not at once: sender and receiver share the event loop of this test.
      socket.on('close', () => setTimeout(() => attack.signal.aborted || void stall(), 1000).unref());
      attack.signal.addEventListener('abort', () => socket.destroy());
      socket.write(head(kib * kib));
      socket.write(almostAll, () => resolve());
    });
  }

  await Promise.all(Array.from({ length: 80 }, stall));
  const statuses = new Set<number>();
  for (let n = 0; n < 50; n += 1) statuses.add((await receiver.post('x'.repeat(n * 400))).status);
  // Time has passed, so those who stall have cost more than one who sends the largest.
  const largest = 'y'.repeat(kib * kib);
  statuses.add((await receiver.post(largest)).status);
  const body = new Blob([largest]).stream();
  const undeclared = { method: 'POST', body, headers: receiver.sign(largest), duplex: 'half' } as RequestInit;
  statuses.add((await fetch(`${receiver.url}/webhooks`, undeclared)).status);
  attack.abort();
  expect([...statuses]).toEqual([202]);
  expect(receiver.queue.deliveries).toHaveLength(52);
  expect(await receiver.counted('slotstream_evictions_total{reason="body_budget"}')).toBeGreaterThan(0);
});

it('a sender that is given up gets 503 and the time to come back when others need its memory', async () => {
  await using receiver = await openReceiver({ options: { bodyBudget: { maxBytes: 300 * kib } } });
  let answer = '';
  void exchange(receiver.port, [head(220 * kib), Buffer.alloc(200 * kib)]).then((text) => (answer = text));
  while (answer === '') expect((await receiver.post('z'.repeat(80 * kib))).status).toBe(202);
  expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5[^]*connection: close/i);
  expect(await receiver.counted('slotstream_evictions_total{reason="body_budget"}')).toBe(1);
});
