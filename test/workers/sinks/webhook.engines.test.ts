// The feed pushed as signed webhooks: what the other side sees when it answers, fails and goes away.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSinks } from '#src/app/sink-pumps.ts';
import { createOutgoing } from '#src/egress/http.ts';
import { readEventSource } from '#src/feed/cloud-event.ts';
import { openTail } from '#src/feed/tail.ts';
import { createLog } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import type { PumpInput } from '#workers/sinks/pump.ts';
import { webhookSink } from '#workers/sinks/webhook.ts';
import { flawsOf } from '../../harness/data/cloudevents-schema.ts';
import { openCallback, type Callback, type Received } from '../../harness/sandbox/callback-server.ts';
import { startPump } from '../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingestBodies, type TestStore } from '../../harness/stores.ts';

const secret = `whsec_${Buffer.from('a secret of the tests, long enough').toString('base64')}`;
const uri = (n: number) => `https://api.example.test/contacts/${n}`;
const contact = (n: number, name: string) =>
  JSON.stringify({ event: 'contact.updated', created_at: '2025-04-14T11:43:10Z', payload: { uri: uri(n), name } });

let opened: TestStore;
let callback: Callback;
let store: Store;
beforeEach(async () => {
  opened = await freshSqlite();
  ({ store } = opened);
  callback = await openCallback();
});
afterEach(async () => {
  await callback[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
});

/** However busy the machine is, an answer that comes at all comes within this. */
const patientMs = 5_000;
const sink = (more: Partial<PumpInput> = {}, { url = callback.url, timeoutMs = patientMs } = {}): PumpInput => ({
  name: 'webhook',
  open: (needs) =>
    webhookSink({ outgoing: createOutgoing({}, { allowPrivate: true }), url, secret, nowMs: Date.now, timeoutMs })(
      needs,
    ),
  ...more,
});
const seqOf = ({ body }: Received) => (body as { data: { seq: number } }).data.seq;
const subjectOf = ({ body }: Received) => (body as { data: { subject_uri: string } }).data.subject_uri;
const idOf = ({ headers }: Received) => String(headers['webhook-id']);
const seqs = (received: readonly Received[]) => received.map(seqOf);
const whole = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

describe('the feed pushed to a web address', () => {
  it('is signed so that the reference of Standard Webhooks accepts it, and says what, when and all of it', async () => {
    await using pumping = await startPump(store, sink());
    await ingestBodies(store, [contact(1, 'Ada'), 'not JSON']);
    await expect.poll(() => callback.received).toHaveLength(2);
    const verifier = new Webhook(secret);
    for (const { raw, headers } of callback.received)
      verifier.verify(raw.toString(), headers as Record<string, string>);
    const [first] = callback.received.toSorted((a, b) => seqOf(a) - seqOf(b));
    expect(first?.headers['content-type']).toBe('application/json');
    expect(first?.body).toMatchObject({
      type: 'contact.updated',
      timestamp: '2025-04-14T11:43:10.000000Z',
      data: { seq: 1, subject_uri: uri(1), outcome: 'applied', payload: { name: 'Ada' } },
    });
    await expect.poll(() => pumping.position()).toBe(2);
  });

  it('is one CloudEvent per request where that format is chosen, with the ID of the feed and signed as it is sent', async () => {
    const open: PumpInput['open'] = (needs) =>
      webhookSink({
        outgoing: createOutgoing({}, { allowPrivate: true }),
        url: callback.url,
        secret,
        format: 'cloudevents',
        nowMs: Date.now,
      })(needs);
    await using _pumping = await startPump(store, sink({ open }));
    await ingestBodies(store, [contact(1, 'Ada')]);
    await expect.poll(() => callback.received).toHaveLength(1);
    const { raw, headers, body } = callback.received[0] as Received;
    new Webhook(secret).verify(raw.toString(), headers as Record<string, string>);
    expect(headers['content-type']).toBe('application/cloudevents+json');
    expect(flawsOf(body as object)).toEqual([]);
    expect(body).toMatchObject({
      id: headers['webhook-id'],
      source: await readEventSource(store),
      type: 'io.slotstream.contact.updated',
      subject: uri(1),
      data: { seq: 1, payload: { name: 'Ada' } },
    });
  });

  it('has the rows where FEED_INCLUDE asks for them, and only the kinds that FEED_PUSH_EVENTS names', async () => {
    const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
    const log = createLog({ level: 'silent', pretty: false });
    const stream = { streamUrl: undefined, streamKey: '', streamMaxLength: 0 };
    const push = { pushUrl: callback.url, pushSecret: secret, pushAllowPrivate: true };
    const sinks = startSinks({
      settings: { ...stream, ...push, include: 'row', events: ['invitee.created', 'contact.up*'] },
      store,
      tail,
      log,
      holder: randomUUID(),
      nowMs: Date.now,
    });
    await expect.poll(() => readPosition(store, 'sink:webhook')).toBe(0);
    await ingestBodies(store, ['not JSON', contact(1, 'Ada'), contact(2, 'Bo').replace('updated', 'created')]);
    await expect.poll(() => readPosition(store, 'sink:webhook')).toBe(3);
    await sinks.close();
    tail.close();
    expect(callback.received).toHaveLength(1);
    expect(callback.received[0]?.body).toMatchObject({ data: { row: { contacts: { uri: uri(1), name: 'Ada' } } } });
  });

  it('begins with what is new, and afterwards where it was', async () => {
    await ingestBodies(store, [contact(1, 'before')]);
    await using first = await startPump(store, sink());
    await ingestBodies(store, [contact(1, 'a')]);
    await expect.poll(() => first.position()).toBe(2);
    await first.stop();
    await ingestBodies(store, [contact(1, 'b')]);
    await using _second = await startPump(store, sink());
    await expect.poll(() => seqs(callback.received)).toEqual([2, 3]);
  });

  it('keeps the order of every subject, and every id, however the other side fails', async () => {
    let calls = 0;
    const taken: Received[] = [];
    callback.answer = (delivery) => {
      calls = (calls * 5 + 3) % 4_096;
      const status = [202, 500, 204, 400, 202, 302, 200, 404][calls % 8] ?? 202;
      if (status < 300) taken.push(delivery);
      return status;
    };
    await using pumping = await startPump(store, sink());
    for (let round = 0; round < 20; round += 1)
      await ingestBodies(
        store,
        whole(10).map((n) => contact(n, `round ${round}`)),
      );
    await expect.poll(() => pumping.position()).toBe(200);
    expect(inOrder(seqs(taken))).toEqual(whole(200));
    for (const n of whole(10)) {
      const own = seqs(taken.filter((delivery) => subjectOf(delivery) === uri(n)));
      expect(own).toEqual(inOrder(own));
    }
    const ids = Map.groupBy(callback.received, seqOf);
    for (const copies of ids.values()) expect(new Set(copies.map(idOf)).size).toBe(1);
    expect(new Set(callback.received.map(idOf)).size).toBe(200);
    expect(new Set(pumping.failed.map(({ code }) => code))).toEqual(new Set(['500', '400', '302', '404']));
  });

  it('lets a subject that fails hold up itself alone, until too much waits behind it', async () => {
    let isBroken = true;
    callback.answer = (delivery) => (isBroken && subjectOf(delivery) === uri(1) ? 500 : 202);
    await using pumping = await startPump(store, sink({ bounds: { entries: 5, characters: 1_000_000 } }));
    const others = () => callback.received.filter((delivery) => subjectOf(delivery) !== uri(1));
    await ingestBodies(store, [contact(1, 'a'), contact(1, 'b')]);
    for (let n = 0; n < 5; n += 1)
      await ingestBodies(
        store,
        whole(10).map((m) => contact(2 + m, `round ${n}`)),
      );
    await expect.poll(() => others().length).toBe(50);
    expect(await pumping.position()).toBe(0);
    // Five wait: the log is read no further.
    await ingestBodies(store, [contact(1, 'c'), contact(1, 'd'), contact(1, 'e')]);
    await ingestBodies(store, [contact(2, 'later')]);
    const tries = callback.received.length;
    await expect.poll(() => callback.received.length).toBeGreaterThan(tries + 20);
    expect(others()).toHaveLength(50);
    isBroken = false;
    await expect.poll(() => pumping.position()).toBe(56);
    expect(others()).toHaveLength(51);
  });

  it('waits as long as it is asked to, follows no redirect, and retries when the sink does not answer', async () => {
    const answers = [
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 307, headers: { location: callback.url } },
      // Twice: a connection that was kept open and is closed without an answer is opened again at once.
      null,
      null,
      { status: 200, headers: {} },
    ];
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume();
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer) response.writeHead(answer.status, answer.headers).end();
      else request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await using pumping = await startPump(store, sink({}, { url }));
    await ingestBodies(store, [contact(1, 'a')]);
    await expect.poll(() => pumping.position()).toBe(1);
    expect(pumping.failed.map(({ code }) => code)).toEqual(['429', '307', 'ECONNRESET']);
    expect(pumping.failed[0]?.retryMs).toBeGreaterThanOrEqual(1_000);
    expect(callback.received).toEqual([]);
    server.closeAllConnections();
    server.close();
  });

  it('gives up waiting for an answer that does not come, and stops at once when asked to', async () => {
    callback.answer = null;
    const pumping = await startPump(store, sink({}, { timeoutMs: 500 }));
    await ingestBodies(store, [contact(1, 'a')]);
    await expect.poll(() => pumping.failed.map(({ code }) => code)).toContain('ETIMEDOUT');
    await pumping.stop();
    expect(await pumping.position()).toBe(0);
  });
});

describe('the feed pushed to a private address', () => {
  const settings = { streamUrl: undefined, streamKey: '', streamMaxLength: 0, pushSecret: secret };
  const log = (lines: string[]) =>
    createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });

  it('is refused unless FEED_PUSH_ALLOW_PRIVATE allows it, and no entry is left out', async () => {
    const lines: string[] = [];
    const start = (pushAllowPrivate: boolean) => {
      const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
      const feed = { ...settings, pushUrl: callback.url, pushAllowPrivate };
      const sinks = startSinks({ settings: feed, store, tail, log: log(lines), holder: randomUUID(), nowMs: Date.now });
      return { sinks, close: () => sinks.close().finally(() => tail.close()) };
    };
    const guarded = start(false);
    await expect.poll(() => readPosition(store, 'sink:webhook')).toBe(0);
    await ingestBodies(store, [contact(1, 'a')]);
    await expect
      .poll(async () => (await guarded.sinks.status())['webhook'])
      .toMatchObject({ position: 0, failing: 1, last_error: 'private_address' });
    await guarded.close();
    expect(callback.received).toEqual([]);
    expect(lines.join('')).toContain('FEED_PUSH_ALLOW_PRIVATE');
    expect(lines.join('')).not.toContain(new URL(callback.url).host);

    const allowed = start(true);
    await expect.poll(() => seqs(callback.received)).toEqual([1]);
    await allowed.close();
    expect(callback.received[0]?.body).not.toHaveProperty('data.row');
  });

  it('is refused where the name of a public-looking host leads to one', async () => {
    const { port } = new URL(callback.url);
    const lookup: LookupFunction = (_name, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]);
    const open: PumpInput['open'] = (needs) =>
      webhookSink({
        outgoing: createOutgoing({ lookup }, { allowPrivate: false }),
        url: `http://feed.example.test:${port}/`,
        secret,
        nowMs: Date.now,
      })(needs);
    await using pumping = await startPump(store, sink({ open }));
    await ingestBodies(store, [contact(1, 'a')]);
    await expect.poll(() => pumping.failed.map(({ code }) => code)).toContain('private_address');
    expect(callback.received).toEqual([]);
    expect(await pumping.position()).toBe(0);
  });

  it('warns when the feed leaves without encryption', async () => {
    const lines: string[] = [];
    const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
    const feed = { ...settings, pushUrl: 'http://feed.example.test/', pushAllowPrivate: false };
    const sinks = startSinks({ settings: feed, store, tail, log: log(lines), holder: randomUUID(), nowMs: Date.now });
    await sinks.close();
    tail.close();
    expect(lines.join('')).toContain('the feed is sent without encryption');
  });
});

describe('two processes that push', () => {
  it('never do so at once: one that is cut off from the store has ended before the other begins', async () => {
    await using second = await openCallback();
    for (const side of [callback, second]) {
      side.answer = 503;
      // Polled: a sink that still pushes would show.
      side.words = { headers: { 'retry-after': '1' } };
    }
    const cutOff = new AbortController();
    const start = async (url: string, signal?: AbortSignal) => {
      const own = await opened.openAnother();
      const reached: Store = {
        ...own,
        get db() {
          signal?.throwIfAborted();
          return own.db;
        },
        transaction: async (work) => {
          signal?.throwIfAborted();
          return own.transaction(work);
        },
      };
      const tail = openTail({ lastSeq: () => lastSeq(reached), everyMs: 50 });
      const settings = {
        pushUrl: url,
        pushSecret: secret,
        pushAllowPrivate: true,
        streamUrl: undefined,
        streamKey: '',
        streamMaxLength: 0,
      };
      const log = createLog({ level: 'silent', pretty: false });
      const sinks = startSinks({ settings, store: reached, tail, log, holder: randomUUID(), nowMs: Date.now });
      return { close: () => sinks.close().finally(() => tail.close()) };
    };
    const first = await start(callback.url, cutOff.signal);
    await expect.poll(() => readPosition(store, 'sink:webhook')).toBe(0);
    await ingestBodies(store, [contact(1, 'a')]);
    await expect.poll(() => callback.received.length).toBeGreaterThan(0);
    cutOff.abort(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    const next = await start(second.url);
    await expect.poll(() => second.received.length).toBeGreaterThan(0);
    const before = callback.received.length;
    await expect.poll(() => second.received.length).toBeGreaterThan(4);
    expect(callback.received.length).toBe(before);
    await next.close();
    await first.close().catch(() => undefined);
  });
});
