// The feed pushed to message brokers, NATS JetStream and Kafka: what every such sink holds, whatever happens to the broker or to us.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { eventSourceOf } from '#src/feed/cloud-event.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { kafkaSink } from '#workers/out/push/brokers/kafka.ts';
import { natsSink } from '#workers/out/push/brokers/nats.ts';
import type { PumpInput } from '#workers/out/push/pump.ts';
import { openedAnew, openedOnce } from '../../../../harness/opened.ts';
import { eventually } from '../../../../harness/moments.ts';
import { startKafka, startNats, type Published, type TestBroker } from '../../../../harness/brokers.ts';
import { flawsOf } from '../../../../harness/data/cloudevents-schema.ts';
import { contact, contactUri, startPump, whole } from '../../../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingestBodies, receivedAt } from '../../../../harness/stores.ts';

/** Entries about ten contacts, several about each. */
const some = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => contact((from + n) % 10, `version ${from + n}`));

const seqs = (published: readonly Published[]) => published.map(({ event }) => event.data?.seq ?? 0);

/** What a receiver sees that ignores an ID it knows. */
function firsts(published: readonly Published[]): readonly Published[] {
  const seen = new Set<string>();
  return published.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
}

const nats = { stream: 'slotstream', prefix: 'slotstream', credentialsFile: undefined };
const brokers = [
  {
    name: 'nats',
    available: inject('natsPath') !== '',
    start: (): Promise<TestBroker> => startNats(),
    sink: (url: string) => natsSink({ url, ...nats, timeoutMs: 1_000 }),
    key: 'slotstream.contact.updated',
    headers: (id: string) => ({
      'content-type': 'application/cloudevents+json',
      'Nats-Msg-Id': expect.stringMatching(new RegExp(`^urn:uuid:.{36}#${id}$`)),
    }),
  },
  {
    name: 'kafka',
    available: inject('kcatPath') !== '',
    start: startKafka,
    sink: (url: string) => kafkaSink({ url, timeoutMs: 1_000 }),
    key: contactUri(1),
    headers: () => ({ 'content-type': 'application/cloudevents+json; charset=UTF-8' }),
  },
] as const;

for (const { name, available, ...kind } of brokers)
  describe.runIf(available)(`the feed pushed to ${name}`, () => {
    const broker = openedOnce(kind.start);
    const opened = openedAnew(freshSqlite);

    const sink = (): PumpInput => ({ name, open: kind.sink(broker.url) });
    /** What came from the store of this test. */
    async function published(): Promise<readonly Published[]> {
      const own = eventSourceOf(opened.store);
      return (await broker.published()).filter(({ event }) => event.source === own);
    }
    /** All of them arrive, and those of each contact in order. */
    async function expectAllInOrder(count: number): Promise<void> {
      await eventually(async () => firsts(await published()).length).toBeGreaterThanOrEqual(count);
      const received = firsts(await published());
      expect(seqs(received).toSorted((a, b) => a - b)).toEqual(whole(count));
      for (const [, own] of Map.groupBy(received, ({ event }) => event.subject))
        expect(seqs(own)).toEqual(seqs(own).toSorted((a, b) => a - b));
    }

    it('is one valid CloudEvent per entry, with its key and its headers, however large', async () => {
      await using pumping = await startPump(opened.store, sink());
      const large = 'n'.repeat(300_000);
      const bodies = [contact(1, 'Ada'), 'not JSON', contact(1, large), contact(2, 'small'), contact(1, 'small')];
      await ingestBodies(opened.store, bodies);
      await pumping.reaches(5);
      await expectAllInOrder(5);
      const sorted = firsts(await published()).toSorted((a, b) => (a.event.data?.seq ?? 0) - (b.event.data?.seq ?? 0));
      expect(sorted.flatMap(({ event }) => flawsOf(event))).toEqual([]);
      expect(sorted[0]).toMatchObject({
        key: kind.key,
        headers: kind.headers('feed_1_20250414120000000000'),
        event: {
          id: 'feed_1_20250414120000000000',
          type: 'io.slotstream.contact.updated',
          subject: contactUri(1),
          data: { seq: 1, payload: { name: 'Ada' } },
        },
      });
      expect(sorted[1]?.event).toMatchObject({ type: 'io.slotstream.entry', data: { payload: null } });
    });

    it('misses nothing while the broker is away at first, is cut off and freezes in the middle of it', async () => {
      await broker.cut();
      await using pumping = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(0, 100));
      await eventually(() => pumping.failed.map(({ code }) => code)).toContain('ECONNREFUSED');
      expect(await pumping.position()).toBe(0);
      await broker.restore();
      await pumping.reaches(100);

      let failures = pumping.failed.length;
      const ingesting = ingestBodies(opened.store, some(100, 90));
      await pause(20);
      await broker.cut();
      await ingesting;
      await ingestBodies(opened.store, some(190, 10));
      await pumping.fails(failures);
      await broker.restore();
      await pumping.reaches(200);

      failures = pumping.failed.length;
      broker.freeze();
      await ingestBodies(opened.store, some(200, 100));
      await pumping.fails(failures);
      broker.thaw();
      await pumping.reaches(300);
      await expectAllInOrder(300);
    });

    it('sends again what may not have arrived when it starts after a crash', async () => {
      await using first = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(0, 50));
      await first.reaches(50);
      await first.stop();
      // As after a crash between sending and noting.
      await opened.store.transaction((unit) =>
        setPosition(unit, { name: `sink:${name}`, position: 20, updated_at: receivedAt }),
      );
      await using second = await startPump(opened.store, sink());
      await ingestBodies(opened.store, some(50, 5));
      await second.reaches(55);
      // The duplicate window of JetStream.
      await eventually(async () => (await published()).length).toBe(name === 'nats' ? 55 : 85);
      await expectAllInOrder(55);
    });
  });
