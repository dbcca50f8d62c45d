// The probe against real servers: ours, and whatever else answers at a mistyped address.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selfTestBody } from '#src/signing/self-test.ts';
import { signDelivery } from '#src/signing/signature.ts';
import { probe, type ProbeInput } from '#src/subscriptions/probe.ts';
import { openReceiver, signatureHeader, signingKey } from '../../harness/mirror/receiver.ts';
import { freePort, openServer } from '../../harness/ports.ts';

const ask = (url: string, more: Partial<ProbeInput> = {}) =>
  probe({
    callback: `${url}/webhooks`,
    scheme: 'timestamped',
    headerName: signatureHeader,
    key: signingKey,
    nowMs: Date.now(),
    ...more,
  });

const page = '<!doctype html><title>Welcome to the Wi-Fi of this hotel</title>';
const json = (status: number, body: object): RequestListener => {
  return (_, answer) => void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

describe('our receiver', () => {
  it.each(['timestamped', 'standard-webhooks'] as const)(
    'proves that it is ours, signed as %s, with whichever of its keys the probe is signed, and stores nothing (A25)',
    async (scheme) => {
      await using receiver = await openReceiver({
        keysAt: () => ['the-new-key-of-a-rotation-is-first', signingKey],
        options: { scheme },
      });
      expect(await ask(receiver.url, { scheme })).toEqual({ kind: 'ours' });
      expect(await ask(receiver.url, { scheme, key: 'the-new-key-of-a-rotation-is-first' })).toEqual({ kind: 'ours' });
      expect([receiver.queue.deliveries, receiver.diskLog.status().batches]).toEqual([[], 0]);
      expect(receiver.lines.join('')).toBe('');
    },
  );

  it('is not confused with another Slotstream mirror, which has other keys (A25)', async () => {
    await using receiver = await openReceiver({ keysAt: () => ['the-signing-key-of-another-mirror'] });
    expect(await ask(receiver.url)).toMatchObject({
      kind: 'other',
      status: 401,
      what: 'the receiver rejects our signing key, or its clock is wrong',
      fix: expect.stringContaining('SIGNING_KEYS'),
    });
  });

  it('rejects a probe that is older than a delivery may be (A25)', async () => {
    await using receiver = await openReceiver();
    expect(await ask(receiver.url, { nowMs: Date.now() - 181_000 })).toMatchObject({ kind: 'other', status: 401 });
  });

  it('that verifies nothing can prove nothing, and says so (A25)', async () => {
    await using receiver = await openReceiver({ keysAt: () => [], options: { allowUnsigned: true } });
    expect(await ask(receiver.url)).toEqual({ kind: 'unsigned' });
    await using lenient = await openReceiver({ options: { allowUnsigned: true } });
    expect(await ask(lenient.url)).toEqual({ kind: 'ours' });
    expect(await ask(lenient.url, { key: undefined })).toEqual({ kind: 'unsigned' });
    expect([...receiver.queue.deliveries, ...lenient.queue.deliveries]).toEqual([]);
  });

  it('of the version before proofs is not taken for ours, and is named (A25)', async () => {
    const answer = { title: 'Self-Test', message: 'The signature is valid. Nothing was stored.' };
    await using older = await openServer(json(200, answer));
    expect(await ask(older.url)).toMatchObject({
      kind: 'other',
      what: 'a receiver of an older version answers, or a proxy removes the header Slotstream-Nonce',
      fix: expect.stringContaining('Upgrade the receivers first.'),
    });
  });
});

describe('someone else', () => {
  const endless: RequestListener = (_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' });
    const send = (): void => {
      while (!answer.destroyed && answer.write(' '.repeat(1024))) {
        // Until the reader is behind.
      }
    };
    answer.on('drain', send);
    send();
  };
  const portal: RequestListener = (_, answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end(page);
  const strangers: readonly (readonly [string, RequestListener, string])[] = [
    ['answers 200', json(200, { ok: true }), 'answers 200'],
    [
      'answers 202 as a receiver does',
      json(202, { title: 'Accepted', message: 'The delivery is stored.' }),
      'answers 202',
    ],
    ['answers 404', json(404, {}), 'answers 404'],
    ['asks for a password', json(401, { error: 'login' }), 'answers 401'],
    ['is a captive portal', portal, 'answers 200'],
    ['answers null', (_, answer) => void answer.end('null'), 'answers 200'],
    ['answers without an end', endless, 'answers 200'],
    ['invents a proof', json(200, { title: 'Self-Test', proof: 'x'.repeat(43) }), 'answers 200'],
  ];
  it.each(strangers)('that %s is not the receiver (A25)', async (_, answer, what) => {
    await using stranger = await openServer(answer);
    expect(await ask(stranger.url)).toMatchObject({
      kind: 'other',
      what: `this is not the receiver: it ${what} and does not prove that it has the signing key`,
      fix: expect.stringMatching(/^Check the spelling of PUBLIC_URL\. Make the proxy forward POST \/webhooks/),
    });
  });

  it('that shows the proof of an earlier probe is not the receiver: each has a nonce of its own (A25)', async () => {
    await using receiver = await openReceiver();
    let recorded: string | undefined;
    let passed = 0;
    await using stranger = await openServer(async (request, answer) => {
      if (recorded === undefined) {
        passed += 1;
        const headers = Object.fromEntries(
          ['slotstream-nonce', signatureHeader.toLowerCase()].map((name) => [name, String(request.headers[name])]),
        );
        const response = await fetch(`${receiver.url}/webhooks`, { method: 'POST', headers, body: selfTestBody });
        recorded = await response.text();
      }
      answer.writeHead(200).end(recorded);
    });
    // As a proxy: the first time it passes the probe on.
    expect([await ask(stranger.url), passed]).toEqual([{ kind: 'ours' }, 1]);
    expect([await ask(stranger.url), passed]).toMatchObject([{ kind: 'other' }, 1]);
  });

  it('that redirects is named with the address, which is not asked (A25)', async () => {
    let asked = 0;
    await using target = await openServer((_, answer) => void answer.end(String((asked += 1))));
    for (const status of [301, 302, 307, 308]) {
      const location = `${target.url}/webhooks?secret=1`;
      await using stranger = await openServer((_, answer) => void answer.writeHead(status, { location }).end());
      expect(await ask(stranger.url)).toMatchObject({
        kind: 'other',
        what: `this is not the receiver: it redirects (${status}) to ${target.url}/webhooks`,
        fix: expect.stringContaining('Redirects are not followed'),
      });
    }
    expect(asked).toBe(0);
  });

  it.each([502, 503, 504])('that answers %s is a proxy without a receiver (A25)', async (status) => {
    await using proxy = await openServer((_, answer) => void answer.writeHead(status).end());
    expect(await ask(proxy.url)).toMatchObject({
      kind: 'other',
      what: `no receiver answers behind it (${status})`,
      fix: expect.stringContaining('Start the receiver.'),
    });
  });

  it('with a wrong certificate is named, and gets no request (A25)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slotstream-certificate-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      ...names,
      '-keyout',
      key,
      '-out',
      cert,
    ];
    execFileSync('openssl', made, { stdio: 'ignore' });
    let asked = 0;
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(folder, { recursive: true });
    const server = createSecureServer(options, (_, answer) => void answer.end(String((asked += 1))));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await ask(`https://127.0.0.1:${port}`)).toMatchObject({
      kind: 'other',
      what: 'its certificate is not valid for this address (DEPTH_ZERO_SELF_SIGNED_CERT)',
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    server.close();
    expect(asked).toBe(0);
  });

  it('that speaks another protocol is someone else all the same (A25)', async () => {
    await using plain = await openServer((_, answer) => void answer.end());
    expect(await ask(`https://127.0.0.1:${plain.port}`)).toMatchObject({
      kind: 'other',
      what: expect.stringMatching(/^what answers there is no https server \(\w+\)$/),
    });
    const greeting = createTcpServer(
      (socket) => void socket.on('error', () => {}).end('220 mail.example.test ESMTP\r\n'),
    );
    greeting.listen(0, '127.0.0.1');
    await once(greeting, 'listening');
    const { port } = greeting.address() as AddressInfo;
    expect(await ask(`http://127.0.0.1:${port}`)).toMatchObject({
      kind: 'other',
      what: expect.stringMatching(/^what answers there is no http server \(\w+\)$/),
    });
    greeting.close();
  });

  it('gets a signature that no receiver takes for a delivery (A25)', async () => {
    const seen: { body: Buffer; headers: Record<string, string> }[] = [];
    await using stranger = await openServer(async (request, answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      seen.push({ body: Buffer.concat(chunks), headers });
      answer.end();
    });
    await ask(stranger.url);
    const [sent] = seen;
    expect([seen.length, sent?.body.toString()]).toEqual([1, '{"event":"slotstream.self_test"}']);
    expect(JSON.stringify(sent?.headers)).not.toContain(signingKey);
    await using receiver = await openReceiver();
    const signature = { [signatureHeader]: sent?.headers[signatureHeader.toLowerCase()] ?? '' };
    expect((await receiver.post(selfTestBody.toString(), signature)).status).toBe(200);
    expect((await receiver.post('{"event":"contact.created"}', signature)).status).toBe(401);
    expect(receiver.queue.deliveries).toEqual([]);
  });
});

describe('nothing', () => {
  it('answers at a port where nothing listens (A25)', async () => {
    expect(await ask(`http://127.0.0.1:${await freePort()}`)).toEqual({ kind: 'nothing', why: 'connection refused' });
    expect(await ask('https://127.0.0.1:1')).toEqual({ kind: 'nothing', why: 'HTTP clients do not use this port' });
  });

  it('answers where connections are accepted and nothing more happens, or are closed (A25)', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const asked = ask(`http://127.0.0.1:${port}`, { timeoutMs: 200 });
    expect(await asked).toEqual({ kind: 'nothing', why: 'no answer within 200 ms' });
    const next = ask(`http://127.0.0.1:${port}`, { timeoutMs: 60_000 });
    silent.once('connection', (socket) => socket.destroy());
    expect(await next).toMatchObject({ kind: 'nothing' });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('is waited for after a stop signal (A25)', async () => {
    const stopping = new AbortController();
    await using silent = await openServer(() => stopping.abort());
    await expect(ask(silent.url, { signal: stopping.signal })).rejects.toThrow(/abort/);
  });
});

it('a receiver gives its proof only for a signed probe with one nonce (A25)', async () => {
  await using receiver = await openReceiver();
  const nonce = 'n'.repeat(43);
  const atSeconds = Math.floor(Date.now() / 1000);
  const signed = signDelivery({
    scheme: 'timestamped',
    headerName: signatureHeader,
    key: signingKey,
    body: selfTestBody,
    atSeconds,
    id: '',
  });
  const proofFor = async (headers: Record<string, string>): Promise<unknown> =>
    ((await (await receiver.post(selfTestBody.toString(), headers)).json()) as { proof?: unknown }).proof;
  expect(await proofFor({ ...signed, 'slotstream-nonce': nonce })).toMatch(/^[\w-]{43}$/);
  for (const other of ['', 'short', `${nonce}x`, `1790000000.${nonce.slice(11)}`, `${nonce}, ${nonce}`])
    expect([other, await proofFor({ ...signed, 'slotstream-nonce': other })]).toEqual([other, undefined]);
  expect(await proofFor(signed)).toBeUndefined();
  expect(await proofFor({ 'slotstream-nonce': nonce })).toBeUndefined();
  // A delivery is stored, whatever it asks.
  const body = '{"event":"contact.created"}';
  const stored = await receiver.post(body, { ...receiver.sign(body), 'slotstream-nonce': nonce });
  expect([stored.status, await stored.text()]).toEqual([202, expect.not.stringContaining('proof')]);
});
