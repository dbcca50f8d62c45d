// The feed as server-sent events over real sockets: live, resumed, by many at once, and with readers that stall or go.
import { once } from 'node:events';
import { request as openRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '#src/api/auth/browser.ts';
import { createReadApi } from '#src/api/operations.ts';
import { openTail, type Tail } from '#src/feed/tail.ts';
import { openStream } from '#src/feed/stream.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readingWithin } from '#src/store/reading/reading.ts';
import { openListener, type Listener } from '#src/receiver/listener.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eventually } from '../../harness/moments.ts';
import { openedAnew } from '../../harness/opened.ts';
import { freshSqlite, ingestBodies } from '../../harness/stores.ts';

interface Received {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly seq: number; readonly payload: unknown };
}

const contact = (n: number, name = `n${n}`, event = 'contact.updated') =>
  JSON.stringify({
    event,
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, name },
  });

const callers = ['admin token', 'admin session', 'read-only token', 'read-only session'] as const;

const opened = openedAnew(freshSqlite);
let tail: Tail;
let listener: Listener;
const reported: unknown[] = [];
beforeEach(async () => {
  const { store } = opened;
  tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
  const api = createReadApi({
    store,
    reading: readingWithin(store),
    tail,
    screen: privacyScreen({ eraseOnDelete: true }),
    clock: Date.now,
    secret: 's'.repeat(24),
    report: (error) => void reported.push(error),
  });
  listener = await openListener({ host: '127.0.0.1', port: 0 });
  const callerOf = ({ headers }: Request): Caller => ({
    who: callers[Number(headers.get('caller'))] ?? callers[0],
    address: '',
  });
  listener.serve({ fetch: (request) => api.fetch(request, callerOf(request)), onClosing: () => tail.close() });
});
afterEach(async () => {
  await listener.close();
  const [first] = reported.splice(0);
  if (first !== undefined) throw first as Error;
});

/** A reader with a socket of its own, which may stop reading. */
async function subscribe(query = '', headers: Record<string, string> = {}) {
  const asking = openRequest({ port: listener.port, host: '127.0.0.1', path: `/api/feed/stream${query}`, headers });
  asking.end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  answer.on('error', () => undefined);
  return {
    answer,
    /** Settles once this holds, which each part of the answer may change. */
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) await once(answer, 'data');
    },
    text: () => text,
    ended: new Promise<void>((end) => void answer.on('close', end)),
    leave: () => asking.destroy(),
    received: (): Received[] => text.split('\n\n').slice(0, -1).flatMap(readBlock),
    /** The place a browser would name when it comes back. */
    lastId: () => /^id: (\d+)$/m.exec(text.slice(text.lastIndexOf('\nid: ') + 1))?.[1],
  };
}

/** As the HTML standard reads it: a block without data is no event. */
function readBlock(block: string): Received[] {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  const data = fields.get('data');
  if (data === undefined) return [];
  const id = Number(fields.get('id'));
  return [{ id, event: fields.get('event') ?? 'message', data: JSON.parse(data) as Received['data'] }];
}

const ids = (received: readonly Received[]) => received.map(({ id }) => id);
const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => contact(from + n));

describe('the stream of the feed', () => {
  it('sends new entries, each with its position, its kind and its full text', async () => {
    await ingestBodies(opened.store, [contact(1)]);
    const reader = await subscribe();
    expect(reader.answer.headers['content-type']).toBe('text/event-stream');
    await reader.until(() => reader.lastId() === '1');
    await ingestBodies(opened.store, [contact(2, 'Ada')]);
    await reader.until(() => reader.received().length > 0);
    const [entry] = reader.received();
    expect(entry).toMatchObject({ id: 2, event: 'contact.updated', data: { seq: 2, payload: { name: 'Ada' } } });
    reader.leave();
  });

  it('continues after Last-Event-ID, which overrides the query', async () => {
    await ingestBodies(opened.store, many(1, 10));
    const reader = await subscribe('?after=0&event=contact.*', { 'last-event-id': '7' });
    await reader.until(() => reader.received().length >= 3);
    expect(ids(reader.received())).toEqual([8, 9, 10]);
    reader.leave();
  });

  it('sends a filtered reader its position, so that it reconnects after the excluded entries', async () => {
    await ingestBodies(opened.store, many(1, 5));
    const reader = await subscribe('?after=0&event=contact.deleted');
    await reader.until(() => reader.lastId() === '5');
    expect(reader.received()).toEqual([]);
    reader.leave();
  });

  it('is not broken by line breaks or reserved names in events and payloads', async () => {
    const spaced = `{\n"event":"contact.updated",\r"created_at":"2025-04-14T11:43:10Z",\r\n"payload":\n{\r"uri":\n"https://api.example.test/contacts/9",\n"name":\n"a\\nid: 99"}}`;
    const names = ['error', 'open', 'x\ndata: {}', 'x\r\nid: 77\r\n\r\n', 'contact.merged'];
    await ingestBodies(opened.store, [...names.map((event, n) => contact(n, 'n', event)), spaced]);
    const reader = await subscribe('?after=0');
    await reader.until(() => reader.received().length >= 6);
    expect(ids(reader.received())).toEqual([1, 2, 3, 4, 5, 6]);
    const kinds = reader.received().map(({ event }) => event);
    expect(kinds).toEqual(['entry', 'entry', 'entry', 'entry', 'contact.merged', 'contact.updated']);
    expect(reader.received().at(-1)?.data.payload).toEqual({
      uri: 'https://api.example.test/contacts/9',
      name: 'a\nid: 99',
    });
    reader.leave();
  });

  it('serves twenty readers at once, each every entry in order, beside readers that stall or disconnect', async () => {
    const stalled = await subscribe('?after=0');
    stalled.answer.pause();
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => subscribe('?after=0', { caller: String(n % 4) })));
    const [readers, leaving] = [await some(20), await some(5)];
    for (let n = 0; n < 200; n += 20) {
      await ingestBodies(opened.store, many(n, 20));
      if (n === 100) for (const reader of leaving) reader.leave();
    }
    await Promise.all(readers.map(({ until, lastId }) => until(() => lastId() === '200')));
    const all = Array.from({ length: 200 }, (_, n) => n + 1);
    for (const reader of readers) expect(ids(reader.received())).toEqual(all);
    stalled.answer.resume();
    await stalled.until(() => stalled.lastId() === '200');
    expect(ids(stalled.received())).toEqual(all);
    for (const reader of [...readers, stalled]) reader.leave();
  });

  it('ends when the process stops', async () => {
    const readers = await Promise.all([subscribe(), subscribe('?after=0')]);
    await listener.close();
    await Promise.all(readers.map(({ ended }) => ended));
  });
});

describe('a stream that is not read', () => {
  it('does not read ahead: no more than the socket buffers is in memory', async () => {
    const text = JSON.stringify('x'.repeat(300_000));
    const entry = { event: null, subjectUri: null, occurredAt: null, receivedAt: '', isDeletion: false, text };
    let reads = 0;
    const read = async (_filter: object, { after }: { readonly after: number }) => {
      reads += 1;
      return { entries: after < 120 ? [{ ...entry, seq: after + 1 }] : [], nextAfter: Math.min(after + 1, 120) };
    };
    const large = await openListener({ host: '127.0.0.1', port: 0 });
    large.serve({
      fetch: ({ signal }) => new Response(openStream({ read, tail }, { filter: {}, after: 0, signal })),
      onClosing: () => tail.close(),
    });
    const asking = openRequest({ port: large.port, host: '127.0.0.1' }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    let before = -1;
    await eventually(() => before === (before = reads), { interval: 500 }).toBe(true);
    expect(reads).toBeLessThan(80);
    answer.resume();
    await eventually(() => reads).toBeGreaterThan(120);
    asking.destroy();
    await large.close();
  });
});

describe('an idle stream', () => {
  const aMoment = async () => void (await pause(1));
  /** What a reader of the stream gets, until the test aborts it. */
  function openReader(
    needs: Pick<Parameters<typeof openStream>[0], 'read' | 'heartbeatMs'>,
    { after = 0, beyond = aMoment }: { after?: number; beyond?: Tail['beyond'] } = {},
  ) {
    const going = new AbortController();
    const closing = new AbortController().signal;
    const asked = { filter: {}, after, signal: going.signal };
    const stream = openStream({ ...needs, tail: { beyond, closing } }, asked).pipeThrough(new TextDecoderStream());
    return Object.assign(stream.getReader(), { leave: () => going.abort() });
  }

  it('sends comments from time to time, and reads nothing ahead of its reader', async () => {
    let reads = 0;
    const read = async (_filter: object, { after }: { readonly after: number }) => {
      reads += 1;
      return { entries: [], nextAfter: after };
    };
    const beyond = (_seq: number, signal: AbortSignal) => once(signal, 'abort').then(() => undefined);
    const reader = openReader({ read, heartbeatMs: 5 }, { after: 3, beyond });
    expect((await reader.read()).value).toBe('retry: 1000\nid: 3\n\n');
    expect((await reader.read()).value).toBe(':\nid: 3\n\n');
    reader.leave();
    let last = await reader.read();
    while (!last.done) last = await reader.read();
    expect(reads).toBeLessThan(10);
  });

  it('sends comments also while the log grows by entries that the filter excludes', async () => {
    const reader = openReader({
      read: async (_, { after }) => ({ entries: [], nextAfter: after + 1 }),
      heartbeatMs: 20,
    });
    expect((await reader.read()).value).toMatch(/^retry: 1000\nid: 1\n\n$/);
    expect((await reader.read()).value).toMatch(/^:\nid: \d+\n\n$/);
    reader.leave();
  });

  it('ends without an error event when the store does not answer', async () => {
    const reader = openReader({ read: () => Promise.reject(new Error('canary')) });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it('is limited to twenty readers of a token, with its long polls, and admits another when one disconnects', async () => {
    const readers = await Promise.all(Array.from({ length: 20 }, () => subscribe()));
    expect(new Set(readers.map(({ answer }) => answer.statusCode))).toEqual(new Set([200]));
    const refused = await subscribe();
    expect([refused.answer.statusCode, refused.answer.headers['retry-after']]).toEqual([503, '10']);
    await refused.until(() => refused.text().includes('Service Unavailable'));
    const poll = async (wait: number, caller = 0): Promise<number> =>
      (await fetch(`http://127.0.0.1:${listener.port}/api/feed?wait=${wait}`, { headers: { caller: String(caller) } }))
        .status;
    expect([await poll(1), await poll(0), await poll(1, 2)]).toEqual([503, 200, 200]);
    readers[7]?.leave();
    await eventually(async () => {
      const { answer, leave } = await subscribe();
      leave();
      return answer.statusCode;
    }).toBe(200);
    for (const { leave } of readers) leave();
  });
});
