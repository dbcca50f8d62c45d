// Where alerts and the feed may be sent: every known way to write, hide or fetch a private address, tried on the real thing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, type LookupFunction, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { isPublicAddress } from '#src/egress/public-address.ts';
import { createOutgoing, type OutgoingNeeds } from '#src/egress/http.ts';
import { openFakeServer } from '../../harness/sandbox/api-clients.ts';

const never = () => new AbortController().signal;
const refused = {
  ok: false,
  refused: true,
  code: 'private_address',
  reason: 'it leads to a private or special network address (ALERT_ALLOW_PRIVATE)',
};

async function post(
  url: string,
  { allowPrivate = false, timeoutMs = 5_000, signal = never(), ...needs }: Attempt = {},
) {
  const outgoing = createOutgoing(needs, { allowPrivate });
  try {
    return await outgoing.post(url, { headers: { 'x-canary': 'canary' }, body: '{"canary":true}', timeoutMs, signal });
  } finally {
    outgoing.close();
  }
}

interface Attempt extends OutgoingNeeds {
  readonly allowPrivate?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A resolver that answers every name with these addresses. */
function resolvesTo(addresses: readonly string[]): LookupFunction {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

describe('an address', () => {
  it.each(
    Object.entries({
      unspecified: ['0.0.0.0', '::'],
      'of this network': ['0.1.2.3'],
      private: ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fec0::1'],
      'of a carrier': ['100.64.0.1', '100.127.255.255'],
      'of loopback': ['127.0.0.1', '127.255.255.254', '::1', '::7f00:1', '::127.0.0.1', '::ffff:7f00:1'],
      'of loopback, in another form': ['::ffff:0:7f00:1', '64:ff9b::7f00:1', '2001:0:7f00:1::', '2002:7f00:1::'],
      'where clouds keep their credentials': ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254'],
      'where clouds keep them, in another form': ['64:ff9b::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::1'],
      'link-local': ['fe80::1', 'fe80::1%eth0'],
      'for protocols': ['192.0.0.8', '192.88.99.1', '100::1', '2001::1', '2001:10::1', '5f00::1'],
      'of documentation': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
      'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
      'of many': ['224.0.0.1', '255.255.255.255', 'ff02::1'],
      reserved: ['240.0.0.1'],
      'that is none': ['', 'example.test'],
    }),
  )('%s is not public', (_kind, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('beside those is public, also as IPv6', () => {
    const besides = ['100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.0.1.1', '223.255.255.255'];
    const public4 = ['1.1.1.1', '8.8.8.8', ...besides].flatMap((one) => [one, `::ffff:${one}`, `64:ff9b::${one}`]);
    const all = [...public4, '2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888'];
    expect(all.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe('a call is not made', () => {
  it.each(
    Object.entries({
      'a private address': ['169.254.169.254/latest/meta-data/', '127.0.0.1', '10.0.0.1:8443/hook'],
      'one in another notation': ['127.1', '0x7f.1', '0x7f000001', '0177.0.0.1', '017700000001', '2130706433', '0'],
      'one in letters of another script': ['１２７.０.０.１', '127。0。0。1'],
      'one of IPv6': ['[::1]', '[::]', '[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '[2002:7f00:1::]', '[fe80::1]'],
      'one behind NAT64': ['[64:ff9b::a9fe:a9fe]'],
      'the machine itself, whatever a resolver says': ['localhost', 'localhost.', 'LOCALHOST:8081', 'inner.localhost'],
    }),
  )('to %s', async (_what, targets) => {
    for (const scheme of ['http', 'https'])
      for (const target of targets) expect([target, await post(`${scheme}://${target}`)]).toEqual([target, refused]);
  });

  const noWeb = ['file:///etc/passwd', 'gopher://example.test/', 'ftp://example.test/', 'data:text/plain,x', 'http://'];
  it.each([
    ['not a web address', [...noWeb, 'javascript:alert(1)', 'unix:/run/docker.sock', '//example.test/']],
    ['the address names a user', ['http://u:p@example.test/', 'http://u@example.test/', 'http://a.test@127.0.0.1/']],
  ])('where the reason is: %s', async (reason, urls) => {
    for (const url of urls)
      expect([url, await post(url)]).toEqual([url, { ok: false, refused: true, code: 'invalid_address', reason }]);
  });

  it('to a name with any private address, whatever the name looks like, or with none', async () => {
    const hidden = ['127.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', '64:ff9b::a9fe:a9fe'];
    for (const addresses of [...hidden.map((address) => [address]), ['1.1.1.1', '10.0.0.1'], []])
      expect(await post('https://hooks.example.test/', { lookup: resolvesTo(addresses) })).toEqual(refused);
  });

  it('for mail either', async () => {
    const outgoing = createOutgoing({ lookup: resolvesTo(['10.0.0.1']) }, { allowPrivate: false });
    for (const host of ['mail.example.test', '127.0.0.1', '[::1]', '::1', '::ffff:7f00:1'])
      await expect(outgoing.connect({ host, port: 25, timeoutMs: 1_000 })).rejects.toThrow('private or special');
  });
});

it('a name is resolved once: the address that was checked is the one connected to', async () => {
  await using there = await openFakeServer((_request, response) => response.end());
  let asked = 0;
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked += 1;
    resolvesTo([asked === 1 ? '127.0.0.1' : '127.0.0.99'])(hostname, options, callback);
  };
  const url = `http://rebinding.example.test:${new URL(there.url).port}/`;
  expect(await post(url, { lookup, allowPrivate: true })).toMatchObject({ ok: true, status: 200 });
  expect(asked).toBe(1);
  expect(await post(url, { lookup })).toEqual(refused);
  expect(asked).toBe(2);
});

describe('answers', () => {
  it('an answer without end is read up to a limit', async () => {
    await using there = await openFakeServer((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const answer = await post(there.url, { allowPrivate: true });
    expect(answer).toMatchObject({ ok: true, status: 200, text: 'x'.repeat(4_096) });
  });

  it.each([
    ['never comes', () => undefined],
    ['never ends', (_request: IncomingMessage, response: ServerResponse) => void response.write('x')],
  ])('an answer that %s is given up in time', async (_what, answer) => {
    // The time is up once the request has arrived, however long that takes on a busy machine.
    const time = new AbortController();
    using timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    await using there = await openFakeServer((request, response) => {
      answer(request, response);
      setTimeout(() => time.abort(new DOMException('', 'TimeoutError')), 20);
    });
    const given = await post(there.url, { allowPrivate: true, timeoutMs: 100 });
    expect(given).toEqual({ ok: false, refused: false, unsure: true, code: 'ETIMEDOUT', reason: 'no answer in time' });
    expect(timeout).toHaveBeenCalledExactlyOnceWith(100);
  });

  it('a name that is never looked up is given up in time', async () => {
    const outgoing = createOutgoing({ lookup: () => undefined }, { allowPrivate: false });
    const call = { headers: {}, body: '', timeoutMs: 100, signal: never() };
    const given = await outgoing.post('https://hooks.example.test/', call);
    expect(given).toEqual({ ok: false, refused: false, code: 'ETIMEDOUT', reason: 'no answer in time' });
    const connecting = outgoing.connect({ host: 'mail.example.test', port: 25, timeoutMs: 100 });
    await expect(connecting).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    outgoing.close();
  });

  it('a call that is stopped says so', async () => {
    await using there = await openFakeServer(() => stopping.abort());
    const stopping = new AbortController();
    const given = await post(there.url, { allowPrivate: true, signal: stopping.signal });
    expect(given).toEqual({ ok: false, refused: false, unsure: true, code: 'ABORT_ERR', reason: 'stopped' });
  });

  it.each([
    ['garbage', 'canary canary\r\n\r\n', 'no connection (HPE_INVALID_CONSTANT)'],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: canary\r\n\r\n',
      'the connection was closed (ECONNRESET)',
    ],
    ['nothing', '', 'the connection was closed (ECONNRESET)'],
  ])('a response that is %s is reported without its content', async (_what, words, reason) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(words));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const given = await post(`http://127.0.0.1:${port}/secret-canary`, { allowPrivate: true });
    server.close();
    expect(given).toEqual({ ok: false, refused: false, unsure: true, code: /\((.+)\)/.exec(reason)?.[1], reason });
  });

  it('a connection that the other side closed between two calls is opened again', async () => {
    await using there = await openFakeServer((request, response) => {
      response.writeHead(200, { 'content-length': 2 }).end('ok');
      // Without notice: the next call finds a closed connection.
      setImmediate(() => request.socket.resetAndDestroy());
    });
    const outgoing = createOutgoing({}, { allowPrivate: true });
    const call = { headers: {}, body: '', timeoutMs: 5_000, signal: never() };
    for (let round = 0; round < 20; round += 1)
      expect(await outgoing.post(there.url, call)).toMatchObject({ ok: true, status: 200 });
    outgoing.close();
  });

  it('a refused connection is reported without the address', async () => {
    const given = await post('http://127.0.0.1:1/secret-canary', { allowPrivate: true });
    const reason = 'it refuses connections (ECONNREFUSED)';
    expect(given).toEqual({ ok: false, refused: false, code: 'ECONNREFUSED', reason });
  });
});
