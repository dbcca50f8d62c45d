// Where alerts and the feed may be sent: every known way to write, hide or fetch a private address, tried on the real thing.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, type LookupFunction, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { isPublicAddress } from '#src/egress/public-address.ts';
import { createOutgoing, type OutgoingNeeds } from '#src/egress/http.ts';

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

interface Listener extends AsyncDisposable {
  readonly port: number;
  readonly bodies: string[];
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listener> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bodies,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A resolver that answers every name with these addresses. */
function resolvesTo(addresses: readonly string[]): LookupFunction {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

describe('addresses', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'this network'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local, where clouds keep their credentials'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['198.19.255.255', 'benchmarks'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'compatible form of loopback'],
    ['::127.0.0.1', 'compatible form of loopback'],
    ['::ffff:7f00:1', 'mapped form of loopback'],
    ['::ffff:169.254.169.254', 'mapped form of link-local'],
    ['::ffff:0:7f00:1', 'translated form of loopback'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 form of link-local'],
    ['64:ff9b::7f00:1', 'NAT64 form of loopback'],
    ['64:ff9b:1::a9fe:a9fe', 'NAT64 of a network of its own'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:0:7f00:1::', 'Teredo around loopback'],
    ['2001:2::1', 'benchmarks'],
    ['2001:10::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4 around loopback'],
    ['2002:a9fe:a9fe::1', '6to4 around link-local'],
    ['3fff::1', 'documentation'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local, where a cloud keeps its credentials'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['', 'nothing'],
    ['example.test', 'a name'],
  ])('%s is not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.0.1.1',
    '223.255.255.255',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isPublicAddress(`::ffff:${address}`)).toBe(true);
    expect(isPublicAddress(`64:ff9b::${address}`)).toBe(true);
  });

  it.each(['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('calls that are not made', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://2130706433/',
    'http://0/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'https://10.0.0.1:8443/hook',
  ])('%s: the address itself is private', async (url) => {
    expect(await post(url)).toEqual(refused);
  });

  it.each(['http://localhost/', 'http://localhost./', 'http://LOCALHOST:8081/', 'http://inner.localhost/'])(
    '%s: the machine itself, whatever a resolver says',
    async (url) => {
      expect(await post(url)).toEqual(refused);
    },
  );

  it.each([
    ['file:///etc/passwd', 'not a web address'],
    ['gopher://example.test/', 'not a web address'],
    ['ftp://example.test/', 'not a web address'],
    ['data:text/plain,x', 'not a web address'],
    ['javascript:alert(1)', 'not a web address'],
    ['unix:/run/docker.sock', 'not a web address'],
    ['//example.test/', 'not a web address'],
    ['http://', 'not a web address'],
    ['http://user:pass@example.test/', 'the address names a user'],
    ['http://user@example.test/', 'the address names a user'],
    ['http://example.test@127.0.0.1/', 'the address names a user'],
  ])('%s: %s', async (url, reason) => {
    expect(await post(url)).toEqual({ ok: false, refused: true, code: 'invalid_address', reason });
  });

  it('a name of a private address is refused, whatever the name looks like', async () => {
    for (const address of ['127.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', '64:ff9b::a9fe:a9fe'])
      expect(await post('https://hooks.example.test/', { lookup: resolvesTo([address]) })).toEqual(refused);
  });

  it('a name with one private address among public ones is refused', async () => {
    const lookup = resolvesTo(['1.1.1.1', '10.0.0.1']);
    expect(await post('https://hooks.example.test/', { lookup })).toEqual(refused);
  });

  it('a name without any address is refused', async () => {
    expect(await post('https://hooks.example.test/', { lookup: resolvesTo([]) })).toEqual(refused);
  });

  it('a connection for mail is refused alike', async () => {
    const outgoing = createOutgoing({ lookup: resolvesTo(['10.0.0.1']) }, { allowPrivate: false });
    for (const host of ['mail.example.test', '127.0.0.1', '[::1]', '::1', '::ffff:7f00:1'])
      await expect(outgoing.connect({ host, port: 25, timeoutMs: 1_000 })).rejects.toThrow('private or special');
  });
});

describe('rebinding', () => {
  it('a name is resolved once: the address that was checked is the one connected to', async () => {
    await using there = await listen((_request, response) => response.end());
    let asked = 0;
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked += 1;
      resolvesTo([asked === 1 ? '127.0.0.1' : '127.0.0.99'])(hostname, options, callback);
    };
    const answer = await post(`http://rebinding.example.test:${there.port}/`, { lookup, allowPrivate: true });
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(asked).toBe(1);
  });

  it('a name that is private when it is asked for is not asked again in the hope of another answer', async () => {
    let asked = 0;
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked += 1;
      resolvesTo(['127.0.0.1'])(hostname, options, callback);
    };
    expect(await post('http://rebinding.example.test/', { lookup })).toEqual(refused);
    expect(asked).toBe(1);
  });
});

describe('answers', () => {
  it.each([301, 302, 303, 307, 308])('a %i is an answer, not a way', async (status) => {
    await using inner = await listen((_request, response) => response.end());
    await using there = await listen((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    expect(await post(`http://127.0.0.1:${there.port}/`, { allowPrivate: true })).toMatchObject({ ok: true, status });
    expect(inner.bodies).toEqual([]);
  });

  it('an answer without end is read up to a limit', async () => {
    await using there = await listen((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const answer = await post(`http://127.0.0.1:${there.port}/`, { allowPrivate: true });
    expect(answer).toMatchObject({ ok: true, status: 200, text: 'x'.repeat(4_096) });
  });

  it.each([
    ['never comes', () => undefined],
    ['never ends', (_request: IncomingMessage, response: ServerResponse) => void response.write('x')],
  ])('an answer that %s is given up in time', async (_what, answer) => {
    // The time is up once the request has arrived, however long that takes on a busy machine.
    const time = new AbortController();
    using timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    await using there = await listen((request, response) => {
      answer(request, response);
      setTimeout(() => time.abort(new DOMException('', 'TimeoutError')), 20);
    });
    const given = await post(`http://127.0.0.1:${there.port}/`, { allowPrivate: true, timeoutMs: 100 });
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
    await using there = await listen(() => stopping.abort());
    const stopping = new AbortController();
    const given = await post(`http://127.0.0.1:${there.port}/`, { allowPrivate: true, signal: stopping.signal });
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
    await using there = await listen((request, response) => {
      response.writeHead(200, { 'content-length': 2 }).end('ok');
      // Without notice: the next call finds a closed connection.
      setImmediate(() => request.socket.resetAndDestroy());
    });
    const outgoing = createOutgoing({}, { allowPrivate: true });
    const call = { headers: {}, body: '', timeoutMs: 5_000, signal: never() };
    for (let round = 0; round < 20; round += 1)
      expect(await outgoing.post(`http://127.0.0.1:${there.port}/`, call)).toMatchObject({ ok: true, status: 200 });
    outgoing.close();
  });

  it('a refused connection is reported without the address', async () => {
    const given = await post('http://127.0.0.1:1/secret-canary', { allowPrivate: true });
    expect(given).toEqual({
      ok: false,
      refused: false,
      code: 'ECONNREFUSED',
      reason: 'it refuses connections (ECONNREFUSED)',
    });
  });
});
