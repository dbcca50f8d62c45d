// The client against answers of every kind. test/src/library/mirror.engines.test.ts reads the feed of a real mirror.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createClient, type ClientOptions, type FeedOptions } from '#src/library/client.ts';

interface Request {
  readonly method: string | undefined;
  readonly url: string;
  readonly body: string;
}

type Reply = 'reset' | readonly [status: number, body?: object];

async function openServer(reply: (request: Request) => Reply) {
  const requests: Request[] = [];
  const read = async (incoming: IncomingMessage): Promise<Request> => {
    const body = (await incoming.setEncoding('utf8').toArray()).join('');
    return { method: incoming.method, url: incoming.url ?? '', body };
  };
  const server = createServer((incoming, response) => {
    void read(incoming).then((request) => {
      requests.push(request);
      const answer = incoming.headers.authorization === 'Bearer secret' ? reply(request) : ([401, {}] as const);
      if (answer === 'reset') return incoming.socket.destroy();
      return response.writeHead(answer[0], { 'retry-after': '0' }).end(JSON.stringify(answer[1] ?? {}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    options: { url: `http://127.0.0.1:${port}/behind/a/path`, token: 'secret' },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const page = (seqs: readonly number[], next: number): Reply => [
  200,
  { collection: seqs.map((seq) => ({ seq, event: 'invitee.created' })), pagination: { next_after: next } },
];

async function seqsOf(options: ClientOptions, feed: FeedOptions = {}): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const entry of createClient(options).feed({ follow: false, ...feed })) {
    seqs.push(entry.seq);
    await entry.done();
  }
  return seqs;
}

it('a consumer begins at its offset, acknowledges each entry, and what the filter left out at the end', async () => {
  const pages = new Map([
    ['consumer=crm', page([3, 5], 6)],
    ['after=6', page([], 9)],
  ]);
  await using server = await openServer(({ method, url }) => {
    if (method === 'POST') return [200];
    return pages.get(/(consumer=crm|after=\d+)/.exec(url)?.[0] ?? '') ?? [400];
  });
  const filter = { event: ['invitee.*', 'contact.deleted'], subject: 'https://a.test/1', include: 'row' } as const;
  expect(await seqsOf(server.options, { consumer: 'crm', ...filter })).toEqual([3, 5]);
  const posts = server.requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ url, body }) => [url, body])).toEqual(
    [3, 5, 9].map((seq) => ['/behind/a/path/api/feed/consumers/crm', `{"acknowledged":${seq}}`]),
  );
  expect(server.requests[0]?.url).toBe(
    '/behind/a/path/api/feed?consumer=crm&event=invitee.*%2Ccontact.deleted&subject=https%3A%2F%2Fa.test%2F1&include=row&wait=0',
  );
});

it('an entry that is not done is not acknowledged, also when pages without entries follow', async () => {
  const pages = [page([3], 3), page([], 9), page([11], 11), page([], 20)];
  const posted: string[] = [];
  await using server = await openServer(({ method, body }) => {
    if (method === 'POST') return [200, { ok: posted.push(body) }];
    return pages.shift() ?? page([], 20);
  });
  const stop = new AbortController();
  for await (const entry of createClient(server.options).feed({ consumer: 'crm', signal: stop.signal })) {
    if (entry.seq < 11) continue;
    expect(posted).toEqual([]);
    await entry.done();
    stop.abort();
  }
  expect(posted).toEqual(['{"acknowledged":11}']);
});

it('what fails is repeated, also an acknowledgement; what is rejected throws', async () => {
  const replies: Reply[] = ['reset', [503], [429], page([1], 1), [500], [200], page([], 1)];
  await using server = await openServer(() => replies.shift() ?? [400, { title: 'Invalid' }]);
  let retries = 0;
  expect(await seqsOf({ ...server.options, onRetry: () => (retries += 1) }, { consumer: 'crm' })).toEqual([1]);
  expect(retries).toBe(4);
  await expect(seqsOf(server.options)).rejects.toThrow('the mirror answered 400: {"title":"Invalid"}');
  await expect(seqsOf({ ...server.options, token: 'wrong' })).rejects.toThrow('the mirror answered 401');
  await expect(seqsOf(server.options, { consumer: 'crm', after: 1 })).rejects.toThrow('leave out');
});

it('ends without an error when the signal aborts: while it waits, and between two entries', async () => {
  const stop = new AbortController();
  await using server = await openServer(() => page([1, 2], 2));
  const seqs: number[] = [];
  for await (const { seq } of createClient(server.options).feed({ signal: stop.signal })) {
    seqs.push(seq);
    stop.abort();
  }
  expect(seqs).toEqual([1]);
  const late = AbortSignal.timeout(50);
  await using silent = await openServer(() => [503]);
  expect(await seqsOf(silent.options, { signal: late })).toEqual([]);
});
