// The feed pushed as signed webhooks: what the other side sees when it answers, fails and goes away.
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutgoing } from '#src/egress/http.ts';
import { eventSourceOf } from '#src/feed/cloud-event.ts';
import type { Store } from '#src/store/contract.ts';
import type { PumpInput } from '#workers/out/push/pump.ts';
import { webhookSink } from '#workers/out/push/webhook.ts';
import { eventually } from '../../../harness/moments.ts';
import { flawsOf } from '../../../harness/data/cloudevents-schema.ts';
import { openCallback, type Callback, type Received } from '../../../harness/sandbox/callback-server.ts';
import { contact, contactUri, openSinks, startPump, whole } from '../../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingestBodies, type TestStore } from '../../../harness/stores.ts';

const secret = `whsec_${Buffer.from('a secret of the tests, long enough').toString('base64')}`;

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
const sink = (more: Partial<Parameters<typeof webhookSink>[0]> = {}, input: Partial<PumpInput> = {}): PumpInput => ({
  name: 'webhook',
  open: (needs) =>
    webhookSink({
      outgoing: createOutgoing({}, { allowPrivate: true }),
      url: callback.url,
      secret,
      nowMs: Date.now,
      timeoutMs: patientMs,
      ...more,
    })(needs),
  ...input,
});
const push = () => ({ pushUrl: callback.url, pushSecret: secret });
const seqOf = ({ body }: Received) => (body as { data: { seq: number } }).data.seq;
const subjectOf = ({ body }: Received) => (body as { data: { subject_uri: string } }).data.subject_uri;
const idOf = ({ headers }: Received) => String(headers['webhook-id']);
const seqs = (received: readonly Received[]) => received.map(seqOf);
const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const verified = ({ raw, headers }: Received) =>
  new Webhook(secret).verify(raw.toString(), headers as Record<string, string>);

describe('the feed pushed to a web address', () => {
  it('is signed so that the reference of Standard Webhooks accepts it, and says what, when and all of it', async () => {
    await using pumping = await startPump(store, sink());
    await ingestBodies(store, [contact(1, 'Ada'), 'not JSON']);
    await pumping.reaches(2);
    expect(callback.received).toHaveLength(2);
    expect(callback.received.map(verified)).toContainEqual(
      expect.objectContaining({
        type: 'contact.updated',
        timestamp: '2025-04-14T11:43:10.000000Z',
        data: expect.objectContaining({
          seq: 1,
          subject_uri: contactUri(1),
          payload: expect.objectContaining({ name: 'Ada' }),
        }),
      }),
    );
    expect(callback.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('is one CloudEvent per request where that format is chosen, with the ID of the feed and signed as it is sent', async () => {
    await using pumping = await startPump(store, sink({ format: 'cloudevents' }));
    await ingestBodies(store, [contact(1, 'Ada')]);
    await pumping.reaches(1);
    const [first] = callback.received;
    expect(first?.headers['content-type']).toBe('application/cloudevents+json');
    expect(flawsOf(first?.body as object)).toEqual([]);
    expect(verified(first as Received)).toMatchObject({
      id: first?.headers['webhook-id'],
      source: eventSourceOf(store),
      type: 'io.slotstream.contact.updated',
      subject: contactUri(1),
      data: { seq: 1, payload: { name: 'Ada' } },
    });
  });

  it('has the rows where FEED_INCLUDE asks for them, and only the kinds that FEED_PUSH_EVENTS names', async () => {
    const events = ['invitee.created', 'contact.up*'];
    const sinks = openSinks(store, { ...push(), pushAllowPrivate: true, include: 'row', events });
    await sinks.reaches('webhook', 0);
    await ingestBodies(store, ['not JSON', contact(1, 'Ada'), contact(2, 'Bo').replace('updated', 'created')]);
    await sinks.reaches('webhook', 3);
    await sinks.close();
    expect(callback.received.map(({ body }) => body)).toMatchObject([
      { data: { row: { contacts: { uri: contactUri(1), name: 'Ada' } } } },
    ]);
  });

  it('begins with what is new, and afterwards where it was', async () => {
    await ingestBodies(store, [contact(1, 'before')]);
    await using first = await startPump(store, sink());
    await ingestBodies(store, [contact(1, 'a')]);
    await first.reaches(2);
    await first.stop();
    await ingestBodies(store, [contact(1, 'b')]);
    await using _second = await startPump(store, sink());
    await eventually(() => seqs(callback.received)).toEqual([2, 3]);
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
    for (let round = 0; round < 8; round += 1)
      await ingestBodies(
        store,
        whole(10).map((n) => contact(n, `round ${round}`)),
      );
    await pumping.reaches(80);
    expect(inOrder(seqs(taken))).toEqual(whole(80));
    for (const n of whole(10)) {
      const own = seqs(taken.filter((delivery) => subjectOf(delivery) === contactUri(n)));
      expect(own).toEqual(inOrder(own));
    }
    const ids = Map.groupBy(callback.received, seqOf);
    for (const copies of ids.values()) expect(new Set(copies.map(idOf)).size).toBe(1);
    expect(new Set(callback.received.map(idOf)).size).toBe(80);
    expect(new Set(pumping.failed.map(({ code }) => code))).toEqual(new Set(['500', '400', '302', '404']));
  });

  it('lets a subject that fails hold up itself alone, until too much waits behind it', async () => {
    let isBroken = true;
    callback.answer = (delivery) => (isBroken && subjectOf(delivery) === contactUri(1) ? 500 : 202);
    await using pumping = await startPump(store, sink({}, { bounds: { entries: 5, characters: 1_000_000 } }));
    const others = () => callback.received.filter((delivery) => subjectOf(delivery) !== contactUri(1));
    await ingestBodies(store, [contact(1, 'a'), contact(1, 'b')]);
    for (let n = 0; n < 5; n += 1)
      await ingestBodies(
        store,
        whole(10).map((m) => contact(2 + m, `round ${n}`)),
      );
    await eventually(() => others().length).toBe(50);
    expect(await pumping.position()).toBe(0);
    // Five wait: the log is read no further.
    await ingestBodies(store, [contact(1, 'c'), contact(1, 'd'), contact(1, 'e')]);
    await ingestBodies(store, [contact(2, 'later')]);
    const tries = callback.received.length;
    await eventually(() => callback.received.length).toBeGreaterThan(tries + 20);
    expect(others()).toHaveLength(50);
    isBroken = false;
    await pumping.reaches(56);
    expect(others()).toHaveLength(51);
  });

  it('waits as long as it is asked to, follows no redirect, and retries when the sink does not answer', async () => {
    await using other = await openCallback();
    callback.words = { headers: { 'retry-after': '1', location: other.url } };
    callback.answer = () => {
      if (callback.received.length === 1) return 429;
      callback.answer = 'cut';
      return 307;
    };
    await using pumping = await startPump(store, sink());
    await ingestBodies(store, [contact(1, 'a')]);
    await pumping.fails(2);
    callback.answer = 202;
    await pumping.reaches(1);
    expect(pumping.failed.slice(0, 3).map(({ code }) => code)).toEqual(['429', '307', 'ECONNRESET']);
    expect(pumping.failed[0]?.retryMs).toBeGreaterThanOrEqual(1_000);
    expect(other.received).toEqual([]);
  });

  it('gives up waiting for an answer that does not come, and stops at once when asked to', async () => {
    callback.answer = null;
    const pumping = await startPump(store, sink({ timeoutMs: 500 }));
    await ingestBodies(store, [contact(1, 'a')]);
    await eventually(() => pumping.failed.map(({ code }) => code)).toContain('ETIMEDOUT');
    await pumping.stop();
    expect(await pumping.position()).toBe(0);
  });
});

describe('the feed pushed to a private address', () => {
  it('is refused unless FEED_PUSH_ALLOW_PRIVATE allows it, and no entry is left out', async () => {
    const lines: string[] = [];
    const guarded = openSinks(store, push(), lines);
    await guarded.reaches('webhook', 0);
    await ingestBodies(store, [contact(1, 'a')]);
    await eventually(async () => (await guarded.status())['webhook']).toMatchObject({
      position: 0,
      failing: 1,
      last_error: 'private_address',
    });
    await guarded.close();
    expect(callback.received).toEqual([]);
    expect(lines.join('')).toContain('FEED_PUSH_ALLOW_PRIVATE');
    expect(lines.join('')).toContain('the feed is sent without encryption');
    expect(lines.join('')).not.toContain(new URL(callback.url).host);

    const allowed = openSinks(store, { ...push(), pushAllowPrivate: true });
    await eventually(() => seqs(callback.received)).toEqual([1]);
    await allowed.close();
    expect(callback.received[0]?.body).not.toHaveProperty('data.row');
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
      return openSinks(reached, { ...push(), pushUrl: url, pushAllowPrivate: true });
    };
    const first = await start(callback.url, cutOff.signal);
    await first.reaches('webhook', 0);
    await ingestBodies(store, [contact(1, 'a')]);
    await eventually(() => callback.received.length).toBeGreaterThan(0);
    cutOff.abort(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    const next = await start(second.url);
    await eventually(() => second.received.length).toBeGreaterThan(0);
    const before = callback.received.length;
    await eventually(() => second.received.length).toBeGreaterThan(4);
    expect(callback.received.length).toBe(before);
    await next.close();
    await first.close().catch(() => undefined);
  });
});
