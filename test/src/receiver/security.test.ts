// The security checklist of the public endpoint, over real HTTP on loopback.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from '#src/signing/signature.ts';
import { eventually } from '../../harness/moments.ts';
import { forgedDeliveries } from '../../harness/forged-deliveries.ts';
import { exchange, openReceiver, signatureHeader, signingKey } from '../../harness/mirror/receiver.ts';

const body = '{"event":"invitee.created","created_at":"2025-04-14T11:42:33.000000Z","payload":{}}';

describe('the raw bytes are verified before anything is parsed', () => {
  const exact: Record<string, Uint8Array<ArrayBuffer>> = {
    'odd spacing': Buffer.from('{ "event" :\t"x" }'),
    'an escaped letter': Buffer.from('{"name":"\\u00e9"}'),
    'a trailing line break': Buffer.from(`${body}\n`),
    'a byte order mark': Buffer.from(`\ufeff${body}`),
    'invalid UTF-8': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    'a NUL byte': Buffer.from('{"a":"\0"}'),
    'no JSON at all': Buffer.from('hello'),
    nothing: Buffer.alloc(0),
  };

  it('accepts exactly the signed bytes, whatever they are, and passes on the same bytes', async () => {
    await using receiver = await openReceiver();
    for (const bytes of Object.values(exact)) expect((await receiver.post(bytes)).status).toBe(202);
    const arrived = receiver.queue.deliveries.map((sent) => Buffer.from(sent.body, sent.encoding ?? 'utf8'));
    expect(arrived).toEqual(Object.values(exact).map((bytes) => Buffer.from(bytes)));
    const encodings = receiver.queue.deliveries.map((sent) => sent.encoding);
    expect(encodings).toEqual([...Array(4).fill(undefined), 'base64', 'base64', undefined, undefined]);
  });
});

describe('every answer', () => {
  it('is of the type that it names, and not for pages of other sites (N13)', async () => {
    await using receiver = await openReceiver();
    const requests: readonly (readonly [number, string, RequestInit])[] = [
      [202, '/webhooks', { method: 'POST', body, headers: receiver.sign(body) }],
      [401, '/webhooks', { method: 'POST', body }],
      [405, '/webhooks', {}],
      [415, '/webhooks', { method: 'POST', body, headers: { 'content-encoding': 'gzip' } }],
      [200, '/healthz', {}],
      [200, '/readyz', {}],
      [405, '/readyz', { method: 'POST' }],
      [404, '/answers/x', {}],
      [404, '/', {}],
    ];
    for (const [status, path, init] of requests) {
      const answer = await fetch(new URL(path, `http://127.0.0.1:${receiver.port}`), init);
      await answer.body?.cancel();
      const { headers } = answer;
      expect([path, answer.status, headers.get('x-content-type-options')]).toEqual([path, status, 'nosniff']);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });
});

describe('a rejected signature', () => {
  it('gets the same response whatever is wrong with it, also where one of two headers is right', async () => {
    await using receiver = await openReceiver();
    const answers: string[] = [];
    for (const { body, values } of forgedDeliveries(signingKey, Math.floor(Date.now() / 1000))) {
      const headers = values.map((value) => `${signatureHeader}: ${value}\r\n`).join('');
      const start = 'POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close';
      const request = `${start}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
      answers.push((await exchange(receiver.port, [request])).replace(/date: .*/i, ''));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 401 [^]*"title":"Unauthorized"/);
    expect(receiver.queue.deliveries).toEqual([]);
  });

  it('that is stale but correct is counted separately, and the log names the setting that fixes it', async () => {
    let now = Date.now();
    await using receiver = await openReceiver({ clock: () => now });
    const headers = receiver.sign(body);
    const forged = receiver.sign(body, 'another key of a sufficient length');
    for (const offset of [-181_000, 181_000]) {
      now += offset;
      expect((await receiver.post(body, headers)).status).toBe(401);
      expect((await receiver.post(body, forged)).status).toBe(401);
      now -= offset;
    }
    expect((await receiver.post(body, headers)).status).toBe(202);
    expect(await receiver.counted('slotstream_deliveries_refused_total{cause="stale_signed"}')).toBe(2);
    expect(await receiver.counted('slotstream_deliveries_refused_total{cause="stale"}')).toBe(2);
    expect(receiver.lines.join('')).toContain('SIGNATURE_TOLERANCE_SECONDS');
  });
});

it('every key of the key ring verifies, a removed one does not, and the metric names the key by its id', async () => {
  const previous = 'the previous key, thirty-two bytes';
  let ring = [signingKey, previous];
  await using receiver = await openReceiver({ keysAt: () => ring });
  expect((await receiver.post(body, receiver.sign(body, previous))).status).toBe(202);
  expect((await receiver.post(body)).status).toBe(202);
  ring = [signingKey];
  expect((await receiver.post(body, receiver.sign(body, previous))).status).toBe(401);
  expect(await receiver.counted(`slotstream_signature_key_total{key_id="${keyIdOf(previous)}"}`)).toBe(1);
  expect((await receiver.metrics.read()).text).not.toContain(signingKey);
});

it('unsigned deliveries are accepted only where the setting allows it, and no wrong signature is, where there are keys', async () => {
  await using receiver = await openReceiver({ options: { allowUnsigned: true } });
  expect((await receiver.post(body, {})).status).toBe(202);
  expect((await receiver.post(body, receiver.sign(body, 'another key of a sufficient length'))).status).toBe(401);
  for (const [allowUnsigned, status] of [
    [true, 202],
    [false, 401],
  ] as const) {
    await using without = await openReceiver({ keysAt: () => [], options: { allowUnsigned } });
    expect((await without.post(body, {})).status).toBe(status);
  }
});

describe('the size of the body is limited, however it is sent', () => {
  const options = { maxBodyBytes: 1000 };
  const head = (more: string): string => `POST /webhooks HTTP/1.1\r\nHost: a\r\n${more}\r\n\r\n`;

  it('accepts a body of exactly the limit, and rejects one byte more, or a length that is too large before any body', async () => {
    await using receiver = await openReceiver({ options });
    expect((await receiver.post('a'.repeat(1000))).status).toBe(202);
    expect((await receiver.post('a'.repeat(1001))).status).toBe(413);
    expect(await exchange(receiver.port, [head('Content-Length: 10000000')])).toMatch(
      /^HTTP\/1\.1 413 [^]*connection: close[^]*"title":"Payload Too Large"/i,
    );
    // The sender of a body that is too large can read the response.
    const response = await receiver.post('a'.repeat(5_000_000));
    expect([response.status, await response.json()]).toMatchObject([413, { title: 'Payload Too Large' }]);
    const twoLengths = head('Content-Length: 5\r\nTransfer-Encoding: chunked') + '0\r\n\r\n';
    expect(await exchange(receiver.port, [twoLengths])).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('does not tell a sender that asks first to send a body that is too large', async () => {
    await using receiver = await openReceiver({ options });
    const tooLarge = head('Content-Length: 10000000\r\nExpect: 100-continue');
    expect(await exchange(receiver.port, [tooLarge])).toMatch(/^HTTP\/1\.1 413 /);
    const small = head('Content-Length: 4\r\nExpect: 100-continue\r\nConnection: close');
    expect(await exchange(receiver.port, [small, 'body'])).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  it('rejects ten chunked megabytes with 413, without buffering them, and closes', async () => {
    await using receiver = await openReceiver({ options });
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'a'), Buffer.from('\r\n')]);
    const chunks = [head('Transfer-Encoding: chunked'), ...Array<Buffer>(160).fill(chunk), '0\r\n\r\n'];
    expect(await exchange(receiver.port, chunks)).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    expect(await receiver.counted('slotstream_deliveries_refused_total{cause="too_large"}')).toBe(1);
    expect(receiver.queue.deliveries).toEqual([]);
  });

  it('drops a delivery whose sender disconnects in the middle', async () => {
    await using receiver = await openReceiver({ options });
    const socket = connect(receiver.port, '127.0.0.1');
    socket.write(`${head('Content-Length: 500')}half of it`, () => socket.destroy());
    await eventually(() => receiver.counted('slotstream_deliveries_refused_total{cause="aborted"}')).toBe(1);
    expect((await receiver.post(body.slice(0, 20))).status).toBe(202);
    expect(receiver.queue.deliveries).toHaveLength(1);
  });
});

it('slow senders are disconnected, leave no delivery, and do not block a good one', async () => {
  await using receiver = await openReceiver({ listener: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
  async function* dripping(start: string): AsyncIterable<string> {
    yield start;
    for (;;) {
      await sleep(10);
      yield 'a';
    }
  }
  const start = 'POST /webhooks HTTP/1.1\r\n';
  const slow = [
    exchange(receiver.port, dripping(`${start}X-Slow: `)),
    exchange(receiver.port, dripping(`${start}Host: a\r\nContent-Length: 100000\r\n\r\n`)),
    ...Array.from({ length: 50 }, () => exchange(receiver.port, [`${start}X: `])),
  ];
  expect((await receiver.post(body)).status).toBe(202);
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  expect(receiver.queue.deliveries).toHaveLength(1);
});

it('too many bytes of headers are rejected with 431', async () => {
  await using receiver = await openReceiver();
  const start = 'POST /webhooks HTTP/1.1\r\nHost: a\r\n';
  expect(await exchange(receiver.port, [`${start}X: ${'a'.repeat(20_000)}\r\n\r\n`])).toMatch(/^HTTP\/1\.1 431 /);
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: a\r\n`).join('');
  expect(await exchange(receiver.port, [`${start}${many}\r\n`])).toMatch(/^HTTP\/1\.1 431 /);
});

describe('method, path and content type', () => {
  it('responds 405 to other methods and names the allowed one', async () => {
    await using receiver = await openReceiver();
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${receiver.url}/webhooks`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('responds 404 to other paths and echoes nothing', async () => {
    await using receiver = await openReceiver();
    const own = ['/', '/hook/../admin', '/metrics', '/webhooks/x', '/api/status', '/%2e%2e/<script>'];
    for (const path of [...own, '/webhooks//', '/%2577ebhooks', 'http://a/other']) {
      for (const method of ['GET', 'POST']) {
        const request = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
        const answer = await exchange(receiver.port, [request]);
        expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*"title":"Not Found"/);
        expect(answer).not.toContain('script');
      }
    }
    for (const path of ['http://[', '/%ff'])
      expect(await exchange(receiver.port, [`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`])).toMatch(
        /^HTTP\/1\.1 40[04] /,
      );
  });

  it('neither trusts nor needs a content type', async () => {
    await using receiver = await openReceiver();
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16', ''])
      expect((await receiver.post(body, { ...receiver.sign(body), 'content-type': type })).status).toBe(202);
  });

  it('rejects a compressed body without decompressing it', async () => {
    await using receiver = await openReceiver();
    const zipped = gzipSync(Buffer.alloc(1_000_000));
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip'])
      expect((await receiver.post(zipped, { ...receiver.sign(zipped), 'content-encoding': encoding })).status).toBe(
        415,
      );
    expect((await receiver.post(body, { ...receiver.sign(body), 'content-encoding': 'identity' })).status).toBe(202);
  });
});

it('a flood of bad signatures is counted and leaves only a few log lines', async () => {
  await using receiver = await openReceiver();
  const headers = receiver.sign(body, 'canary-of-an-attacker, long enough');
  const startedMs = Date.now();
  for (let round = 0; round < 4; round += 1)
    await Promise.all(Array.from({ length: 50 }, () => receiver.post(body, headers)));
  const tenSeconds = Math.floor((Date.now() - startedMs) / 10_000);
  expect(await receiver.counted('slotstream_deliveries_refused_total{cause="wrong"}')).toBe(200);
  expect(receiver.lines.length, 'one line in ten seconds').toBeOneOf([1, tenSeconds, tenSeconds + 1]);
  expect(receiver.queue.batches).toEqual([]);
  expect(receiver.diskLog.status()).toMatchObject({ waiting: 0, bytes: 0 });
});
