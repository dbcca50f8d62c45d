// The receiver over real HTTP: 202 only once the delivery is durable, and a shutdown that finishes what it accepted.
import { connect } from 'node:net';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { selfTestBody } from '#src/signing/self-test.ts';
import { eventually } from '../../harness/moments.ts';
import { exchange, openReceiver, testQueue } from '../../harness/mirror/receiver.ts';

const numbered = (index: number): string => JSON.stringify({ event: 'invitee.created', payload: { index } });

/** A delivery as its sender writes it. */
function written(requestLine: string, body: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${requestLine}\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`;
}

describe('the receiver', () => {
  it('responds 202 once the queue has the delivery', async () => {
    await using receiver = await openReceiver();
    const response = await receiver.post(numbered(1));
    expect([response.status, await response.json()]).toEqual([202, { title: 'Accepted', message: expect.any(String) }]);
    expect(receiver.queue.deliveries).toEqual([
      { body: numbered(1), receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) },
    ]);
    expect(await receiver.counted('slotstream_deliveries_received_total{outcome="queued"}')).toBe(1);
  });

  it('accepts a delivery to its path as proxies may write it, and answers once', async () => {
    await using receiver = await openReceiver();
    const targets = ['/webhooks?s=abc', '/webhooks/', '/webhooks/?s=1', '/%77ebhooks'];
    const lines = [...targets, 'http://a/webhooks', 'http://a/webhooks/?s=1'].map(
      (target) => `POST ${target} HTTP/1.1\r\nHost: a`,
    );
    // HTTP/1.0 names no host.
    for (const line of [...lines, 'POST /webhooks HTTP/1.0']) {
      const start = `${line}\r\nConnection: close`;
      const answer = await exchange(receiver.port, [written(start, numbered(1), receiver.sign(numbered(1)))]);
      expect(answer).toMatch(/^HTTP\/1\.1 202 [^]*"title":"Accepted"/);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
    expect(receiver.queue.deliveries).toHaveLength(7);
  });

  it('passes the address of the socket to signed links, and not one that a header names (N10)', async () => {
    const answers = async (_request: Request, address: string) => new Response(address);
    await using receiver = await openReceiver({ answers });
    const headers = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' };
    const response = await fetch(`${receiver.url}/answers/token`, { method: 'POST', headers });
    expect(await response.text()).toBe('127.0.0.1');
    expect(await (await receiver.app.request('/answers/token')).text()).toBe('');
  });

  it("neither logs nor counts that it refuses the unsigned self-test of doctor, and does both with anyone else's", async () => {
    await using receiver = await openReceiver();
    const refused = () => receiver.counted('slotstream_deliveries_refused_total{cause="missing"}');
    expect((await receiver.post(selfTestBody.toString(), {})).status).toBe(401);
    expect([receiver.lines.join(''), await refused()]).toEqual(['', 0]);
    expect((await receiver.post(numbered(1), {})).status).toBe(401);
    expect(await refused()).toBe(1);
    expect(receiver.lines.join('')).toContain('requests are refused');
  });

  for (const mode of ['down', 'frozen'] as const)
    it(`writes deliveries to disk while the queue is ${mode}, and enqueues them when it is back`, async () => {
      await using receiver = await openReceiver({ queue: testQueue(mode) });
      const bodies = Array.from({ length: 8 }, (_, index) => numbered(index));
      for (const body of bodies) expect((await receiver.post(body)).status).toBe(202);
      expect(receiver.queue.deliveries).toEqual([]);
      expect(await receiver.counted('slotstream_disk_log_waiting_deliveries')).toBe(8);
      receiver.queue.mode = 'up';
      await eventually(() => receiver.diskLog.status().batches).toBe(0);
      // In any order: those that a frozen queue was asked to take are tried again later.
      expect(receiver.queue.deliveries.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
      expect((await receiver.post('after')).status).toBe(202);
      expect(await receiver.counted('slotstream_deliveries_received_total{outcome="queued"}')).toBe(1);
      expect(await receiver.counted('slotstream_disk_log_waiting_deliveries')).toBe(0);
    });

  it('responds 503 with Retry-After when neither queue nor disk log accepts the delivery', async () => {
    await using receiver = await openReceiver({ queue: testQueue('down'), maxDiskLogBytes: 0 });
    const response = await receiver.post(numbered(1));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ title: 'Service Unavailable', message: expect.any(String) });
    expect(await receiver.counted('slotstream_deliveries_received_total{outcome="unavailable"}')).toBe(1);
  });

  it('responds 503 when too many bytes wait in memory', async () => {
    await using receiver = await openReceiver({ maxWaitingBytes: 10 });
    expect((await receiver.post('a'.repeat(11))).status).toBe(503);
    expect((await receiver.post('a'.repeat(10))).status).toBe(202);
  });
});

describe('mounted in another Hono app', () => {
  const url = 'http://a/hooks/webhooks';

  it('answers web requests by the same checks, without a request of Node', async () => {
    await using receiver = await openReceiver({ options: { maxBodyBytes: 100 } });
    const app = new Hono().route('/hooks', receiver.app);
    const body = numbered(1);
    const headers = receiver.sign(body);
    const large = new Blob(['a'.repeat(60), 'a'.repeat(60)]).stream();
    const answers = [
      await app.request(new Request(url, { method: 'POST', body, headers })),
      await app.request(new Request(`${url}/?s=1`, { method: 'POST', body, headers })),
      await app.request(new Request(url, { method: 'POST', body })),
      await app.request(new Request(url, { method: 'POST', headers })),
      await app.request(new Request(url, { method: 'POST', body: large, duplex: 'half' })),
      await app.request(
        new Request(url, { method: 'POST', body, headers: { ...headers, 'content-encoding': 'gzip' } }),
      ),
      await app.request(new Request(url, { method: 'PUT', body, headers })),
      await app.request('/hooks/healthz'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 401, 401, 413, 415, 405, 200]);
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(Object.keys((await answer.json()) as object)).toEqual(['title', 'message']);
    }
    expect(answers[6]?.headers.get('allow')).toBe('POST');
    expect(receiver.queue.deliveries.map((delivery) => delivery.body)).toEqual([body, body]);
    for (const cause of ['missing', 'wrong', 'too_large', 'encoding', 'method'])
      expect(await receiver.counted(`slotstream_deliveries_refused_total{cause="${cause}"}`)).toBe(1);
  });

  it('gives up a body that stalls or breaks off', async () => {
    await using receiver = await openReceiver({ options: { bodyBudget: { windowMs: 100 } } });
    const send = async (body: ReadableStream) =>
      (await receiver.app.request('/webhooks', { method: 'POST', body, duplex: 'half' } as RequestInit)).status;
    expect(await send(new ReadableStream())).toBe(408);
    expect(await send(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) }))).toBe(400);
    expect(await receiver.counted('slotstream_evictions_total{reason="slow_body"}')).toBe(1);
    expect(await receiver.counted('slotstream_deliveries_refused_total{cause="aborted"}')).toBe(1);
  });
});

describe('the shutdown', () => {
  it('reports not ready first, while deliveries are still accepted', async () => {
    // Long enough for a busy machine to send two requests.
    await using receiver = await openReceiver({ listener: { graceMs: 5_000 } });
    const closing = receiver.close();
    const [ready, taken] = await Promise.all([fetch(`${receiver.url}/readyz`), receiver.post(numbered(1))]);
    expect([ready.status, taken.status]).toEqual([503, 202]);
    expect(taken.headers.get('connection')).toBe('close');
    await closing;
    await expect(receiver.post(numbered(2))).rejects.toThrow('fetch failed');
    expect(receiver.queue.deliveries).toHaveLength(1);
  });

  it('finishes requests in flight and closes their connections', async () => {
    const queue = testQueue();
    let release: (() => void) | undefined;
    const { enqueue } = queue;
    queue.enqueue = async (batch) => {
      await new Promise<void>((resolve) => (release = resolve));
      return enqueue(batch);
    };
    await using receiver = await openReceiver({ queue, listener: { closeTimeoutMs: 5000 } });
    const start = 'POST /webhooks HTTP/1.1\r\nHost: a';
    const answer = exchange(receiver.port, [written(start, numbered(1), receiver.sign(numbered(1)))]);
    await eventually(() => release).toBeDefined();
    const closing = receiver.close();
    release?.();
    expect(await answer).toMatch(/^HTTP\/1\.1 202 [^]*Connection: close/);
    await closing;
    expect(queue.deliveries).toHaveLength(1);
  });

  it('does not wait for ever for a request that never ends', async () => {
    await using receiver = await openReceiver({ listener: { closeTimeoutMs: 50 } });
    const socket = connect(receiver.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) =>
      socket.write('POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf', resolve),
    );
    await receiver.close();
    socket.destroy();
    expect(receiver.queue.deliveries).toEqual([]);
  });
});
