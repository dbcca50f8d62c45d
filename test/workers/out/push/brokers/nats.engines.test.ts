// What the sink of NATS JetStream does besides what all brokers have in common: streams, logins and sizes.
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { natsSink, type NatsOptions } from '#workers/out/push/brokers/nats.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import type { PumpInput } from '#workers/out/push/pump.ts';
import { openedAnew, openedOnce } from '../../../../harness/opened.ts';
import { eventually } from '../../../../harness/moments.ts';
import { startNats, writeNatsCredentials } from '../../../../harness/brokers.ts';
import { contact, startPump } from '../../../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingest, ingestBodies } from '../../../../harness/stores.ts';

const sink = (url: string, more: Partial<NatsOptions> = {}): PumpInput => ({
  name: 'nats',
  open: natsSink({ url, stream: 'slotstream', prefix: 'slotstream', timeoutMs: 2_000, ...more }),
});

describe.runIf(inject('natsPath'))('the sink of NATS', () => {
  const opened = openedAnew(freshSqlite);
  const failuresOf = async (input: PumpInput, name = input.name) => {
    await using pumping = await startPump(opened.store, input);
    const before = await pumping.position();
    await ingestBodies(opened.store, [contact(1, name)]);
    const failure = await pumping.fails();
    expect(await pumping.position()).toBe(before);
    return failure;
  };

  describe('to a server that lets everybody in', () => {
    const nats = openedOnce(startNats);

    it('creates the stream, also again when it is deleted', async () => {
      await using pumping = await startPump(opened.store, sink(nats.url));
      await ingestBodies(opened.store, [contact(1, 'a')]);
      await pumping.reaches(1);
      await nats.deleteStream('slotstream');
      await ingestBodies(opened.store, [contact(1, 'b')]);
      await pumping.reaches(2);
      expect(await nats.published()).toHaveLength(1);
      await nats.deleteStream('slotstream');
    });

    it('takes an entry whose number was given to another one before (S2)', async () => {
      const { store } = opened;
      await using first = await startPump(store, sink(nats.url));
      await ingestBodies(store, [contact(1, 'lost')]);
      await first.reaches(1);
      await first.stop();
      // As after a restore: the log and the offset are as they were before.
      const again = '2025-04-14T12:30:00.000000Z';
      await sql`delete from ${sql.table('event_log')}`.execute(store.db);
      await sql`update ${sql.table('feed_consumers')} set position = 0`.execute(store.db);
      const screen = privacyScreen({ eraseOnDelete: true });
      await ingest({ store, screen }, { v: 1, deliveries: [{ body: contact(2, 'new'), receivedAt: again }] }, again);
      await sql`update ${sql.table('event_log')} set seq = 1`.execute(store.db);
      await using second = await startPump(store, sink(nats.url));
      await second.reaches(1);
      expect((await nats.published()).map(({ event }) => event.id)).toEqual([
        'feed_1_20250414120000000000',
        'feed_1_20250414123000000000',
      ]);
      await second.stop();
      await nats.deleteStream('slotstream');
    });

    it('delays only the subject of an entry that is larger than the server accepts', async () => {
      await using pumping = await startPump(opened.store, sink(nats.url));
      await ingestBodies(opened.store, [contact(1, 'n'.repeat(1_200_000)), contact(1, 'later'), contact(2, 'other')]);
      await eventually(() => pumping.failed.at(-1)).toMatchObject({
        code: 'MAX_PAYLOAD',
        hint: 'raise max_payload of the NATS server',
      });
      await eventually(async () => (await nats.published()).map(({ event }) => event.data?.seq)).toEqual([3]);
      expect(await pumping.position()).toBe(0);
      await nats.deleteStream('slotstream');
    });

    it('uses a stream that is there as it is, and reports one that does not accept the subjects', async () => {
      await nats.createStream({ name: 'slotstream', subjects: ['company.>'] });
      expect(await failuresOf(sink(nats.url))).toMatchObject({ code: 'JetStreamNotEnabled' });
      const pumping = await startPump(opened.store, sink(nats.url, { prefix: 'company.feed' }));
      await pumping.reaches(1);
      await pumping.stop();
      expect((await nats.published()).map(({ key }) => key)).toEqual(['company.feed.contact.updated']);
      // Two streams cannot have one subject.
      const other = sink(nats.url, { stream: 'other', prefix: 'company' });
      expect(await failuresOf(other, 'later')).toMatchObject({ code: '10065' });
      await nats.deleteStream('slotstream');
    });
  });

  it('logs in with a credentials file, and reports one that is missing', async () => {
    const { config, credentials } = await writeNatsCredentials();
    await using nats = await startNats({ args: ['-c', config] });
    expect((await failuresOf(sink(nats.url, { credentialsFile: `${credentials}x` })))?.code).toBe('ENOENT');
    expect((await failuresOf(sink(nats.url)))?.code).toBe('AuthorizationError');
    await using pumping = await startPump(opened.store, sink(nats.url, { credentialsFile: credentials }));
    await pumping.reaches(1);
  });

  it('logs in with a user, and reports a wrong password and a server without TLS', async () => {
    await using nats = await startNats({ args: ['--user', 'ada', '--pass', 'secret'], login: 'ada:secret@' });
    expect((await failuresOf(sink(nats.url.replace('secret', 'wrong'))))?.code).toBe('AuthorizationError');
    await using pumping = await startPump(opened.store, sink(nats.url));
    await pumping.reaches(1);
    const tls = { name: 'tls', open: natsSink({ url: nats.url.replace('nats:', 'tls:'), stream: 'x', prefix: 'x' }) };
    expect((await failuresOf(tls))?.code).toBe('ConnectionError');
  });
});
