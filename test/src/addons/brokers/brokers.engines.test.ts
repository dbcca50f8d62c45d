// The feed pushed to message brokers, NATS JetStream and Kafka: what every such sink holds, whatever happens to the broker or to us.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { startSinks } from '#src/app/sink-pumps.ts';
import { openTail } from '#src/feed/tail.ts';
import { createLog } from '#src/observability/log.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition, setPosition } from '#src/store/log/consumer-offsets.ts';
import { kafkaSink } from '#src/addons/brokers/kafka.ts';
import { natsSink } from '#src/addons/brokers/nats.ts';
import type { PumpInput } from '#workers/sinks/pump.ts';
import type { SinkSettings } from '#src/app/sinks.ts';
import { startKafka, startNats, type Published, type TestBroker } from '../../../harness/brokers.ts';
import { flawsOf } from '../../../harness/data/cloudevents-schema.ts';
import { startPump } from '../../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingestBodies, receivedAt, type TestStore } from '../../../harness/stores.ts';

const uri = (n: number) => `https://api.example.test/contacts/${n}`;
const contact = (n: number, name: string) =>
  JSON.stringify({ event: 'contact.updated', created_at: '2025-04-14T11:43:10Z', payload: { uri: uri(n), name } });
/** Entries about ten contacts, several about each. */
const some = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => contact((from + n) % 10, `version ${from + n}`));

const seqs = (published: readonly Published[]) => published.map(({ event }) => event.data?.seq ?? 0);
const whole = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** What a receiver sees that ignores an ID it knows. */
function firsts(published: readonly Published[]): readonly Published[] {
  const seen = new Set<string>();
  return published.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
}

/** All of them arrived, and those of each contact in order. */
function expectAllInOrder(published: readonly Published[], count: number): void {
  const received = firsts(published);
  expect(seqs(received).toSorted((a, b) => a - b)).toEqual(whole(count));
  for (const [, own] of Map.groupBy(received, ({ event }) => event.subject))
    expect(seqs(own)).toEqual(seqs(own).toSorted((a, b) => a - b));
}

const nats = { stream: 'slotstream', prefix: 'slotstream', credentialsFile: undefined };
const brokers = [
  {
    name: 'nats',
    available: inject('natsPath') !== '',
    start: startNats as () => Promise<TestBroker>,
    sink: (url: string) => natsSink({ url, ...nats, timeoutMs: 1_000 }),
    settings: (url: string): Partial<SinkSettings> => ({ nats: { url, ...nats } }),
    key: 'slotstream.contact.updated',
    headers: (id: string) => ({
      'content-type': 'application/cloudevents+json',
      'Nats-Msg-Id': expect.stringMatching(new RegExp(`^urn:uuid:.{36}#${id}$`)),
    }),
  },
  {
    name: 'kafka',
    available: inject('kcatPath') !== '',
    start: startKafka as () => Promise<TestBroker>,
    sink: (url: string) => kafkaSink({ url, timeoutMs: 1_000 }),
    settings: (url: string): Partial<SinkSettings> => ({ kafka: { url } }),
    key: uri(1),
    headers: () => ({ 'content-type': 'application/cloudevents+json; charset=UTF-8' }),
  },
] as const;

for (const { name, available, ...kind } of brokers)
  describe.runIf(available)(`the feed pushed to ${name}`, () => {
    let broker: TestBroker;
    let opened: TestStore;
    beforeEach(async () => {
      [broker, opened] = await Promise.all([kind.start(), freshSqlite()]);
    });
    afterEach(async () => {
      await opened[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    });
    const sink = (): PumpInput => ({ name, open: kind.sink(broker.url) });
    const arrived = async (count: number): Promise<void> =>
      await expect.poll(async () => firsts(await broker.published()).length).toBeGreaterThanOrEqual(count);

    it('is one valid CloudEvent per entry, with its key and its headers', async () => {
      await using pumping = await startPump(opened.store, sink());
      await ingestBodies(opened.store, [contact(1, 'Ada'), 'not JSON']);
      await expect.poll(() => pumping.position()).toBe(2);
      await arrived(2);
      const published = (await broker.published()).toSorted(
        (a, b) => (a.event.data?.seq ?? 0) - (b.event.data?.seq ?? 0),
      );
      expect(published.flatMap(({ event }) => flawsOf(event))).toEqual([]);
      expect(published[0]).toMatchObject({
        key: kind.key,
        headers: kind.headers('feed_1_20250414120000000000'),
        event: {
          id: 'feed_1_20250414120000000000',
          type: 'io.slotstream.contact.updated',
          subject: uri(1),
          data: { seq: 1, payload: { name: 'Ada' } },
        },
      });
      expect(published[1]?.event).toMatchObject({ type: 'io.slotstream.entry', data: { payload: null } });
    });

    it('carries entries that are large', async () => {
      await using pumping = await startPump(opened.store, sink());
      const name = 'n'.repeat(300_000);
      await ingestBodies(opened.store, [contact(1, name), contact(2, 'small'), contact(3, name), contact(1, 'small')]);
      await expect.poll(() => pumping.position()).toBe(4);
      await arrived(4);
      expectAllInOrder(await broker.published(), 4);
    });

    it('misses nothing while the broker is away at first, is cut off and freezes in the middle of it', async () => {
      await broker.cut();
      await using pumping = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(0, 100));
      await expect.poll(() => pumping.failed.map(({ code }) => code)).toContain('ECONNREFUSED');
      expect(await pumping.position()).toBe(0);
      await broker.restore();
      await expect.poll(() => pumping.position()).toBe(100);
      for (let round = 1; round <= 3; round += 1) {
        const failures = pumping.failed.length;
        const ingesting = ingestBodies(opened.store, some(round * 100, 90));
        await pause(round * 10);
        await broker.cut();
        await ingesting;
        await ingestBodies(opened.store, some(round * 100 + 90, 10));
        await expect.poll(() => pumping.failed.length).toBeGreaterThan(failures);
        await broker.restore();
        await expect.poll(() => pumping.position()).toBe(100 + round * 100);
      }
      const failures = pumping.failed.length;
      broker.freeze();
      await ingestBodies(opened.store, some(400, 100));
      await expect.poll(() => pumping.failed.length).toBeGreaterThan(failures);
      broker.thaw();
      await expect.poll(() => pumping.position()).toBe(500);
      await arrived(500);
      expectAllInOrder(await broker.published(), 500);
    });

    it('sends again what may not have arrived when it starts after a crash', async () => {
      await using first = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(0, 50));
      await expect.poll(() => first.position()).toBe(50);
      await first.stop();
      // As after a crash between sending and noting.
      await opened.store.transaction((unit) =>
        setPosition(unit, { name: `sink:${name}`, position: 20, updated_at: receivedAt }),
      );
      await using second = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(50, 5));
      await expect.poll(() => second.position()).toBe(55);
      // The duplicate window of JetStream.
      await expect.poll(async () => (await broker.published()).length).toBe(name === 'nats' ? 55 : 85);
      expectAllInOrder(await broker.published(), 55);
    });

    it('is filled by one process at a time, and by another when that one ends', async () => {
      const off = { pushUrl: undefined, pushSecret: undefined, pushAllowPrivate: false };
      const noStream = { streamUrl: undefined, streamKey: '', streamMaxLength: 0 };
      const settings: SinkSettings = { ...off, ...noStream, ...kind.settings(broker.url) };
      const log = createLog({ level: 'silent', pretty: false });
      const start = async () => {
        const store = await opened.openAnother();
        const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
        const sinks = startSinks({ settings, store, tail, holder: randomUUID(), nowMs: Date.now, log });
        return { ...sinks, close: () => sinks.close().finally(() => tail.close()) };
      };
      const processes = [await start(), await start()];
      const position = () => readPosition(opened.store, `sink:${name}`);
      await expect.poll(position).toBe(0);
      await ingestBodies(opened.store, some(0, 50));
      await expect.poll(position).toBe(50);
      const sent = await Promise.all(processes.map(async ({ status }) => (await status())[name]?.sent ?? 0));
      expect(sent.toSorted((a, b) => a - b)).toEqual([0, 50]);
      const working = sent.indexOf(50);
      expect(await processes[working]?.list()).toMatchObject([
        { name, host: new URL(broker.url.replace(/^\w+/, 'http')).host, state: 'current', behind: 0 },
      ]);
      await processes[working]?.close();
      await ingestBodies(opened.store, some(50, 50));
      await expect.poll(position).toBe(100);
      await arrived(100);
      expectAllInOrder(await broker.published(), 100);
      await processes[1 - working]?.close();
    });

    it('says whether the broker can be reached, without sending', async () => {
      const needs = { lastSeq: async () => 0, eventSource: async () => 'urn:uuid:test' };
      await using checked = await kind.sink(broker.url)(needs);
      await checked.check?.(AbortSignal.timeout(10_000));
      await broker.cut();
      await using other = await kind.sink(broker.url)(needs);
      await expect(other.check?.(AbortSignal.timeout(10_000))).rejects.toThrow('ECONNREFUSED');
      await broker.restore();
    });
  });
