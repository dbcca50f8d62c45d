// What the sink of NATS JetStream does besides what all brokers have in common: streams, logins and sizes.
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { natsSink, type NatsOptions } from '#src/addons/brokers/nats.ts';
import type { PumpInput } from '#workers/sinks/pump.ts';
import { startNats } from '../../../harness/brokers.ts';
import { writeNatsCredentials } from '../../../harness/nats-credentials.ts';
import { startPump } from '../../../harness/mirror/sink-pump.ts';
import { freshSqlite, ingestBodies, type TestStore } from '../../../harness/stores.ts';

const contact = (n: number, name: string) =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, name },
  });
const sink = (url: string, more: Partial<NatsOptions> = {}): PumpInput => ({
  name: 'nats',
  open: natsSink({ url, stream: 'slotstream', prefix: 'slotstream', timeoutMs: 2_000, ...more }),
});

describe.runIf(inject('natsPath'))('the sink of NATS', () => {
  let opened: TestStore;
  beforeEach(async () => void (opened = await freshSqlite()));
  afterEach(() => opened[Symbol.asyncDispose]());
  const failuresOf = async (input: PumpInput) => {
    await using pumping = await startPump(opened.store, input);
    const before = await pumping.position();
    await ingestBodies(opened.store, [contact(1, input.name)]);
    await expect.poll(() => pumping.failed.length).toBeGreaterThan(0);
    expect(await pumping.position()).toBe(before);
    return pumping.failed[0];
  };

  it('uses a stream that is there as it is', async () => {
    await using nats = await startNats({ stream: 'mine' });
    await nats.createStream({ name: 'mine', subjects: ['company.>'] });
    await using pumping = await startPump(opened.store, sink(nats.url, { stream: 'mine', prefix: 'company.feed' }));
    await ingestBodies(opened.store, [contact(1, 'a')]);
    await expect.poll(() => pumping.position()).toBe(1);
    expect((await nats.published()).map(({ key }) => key)).toEqual(['company.feed.contact.updated']);
  });

  it('reports a stream that does not accept the subjects, and one that cannot be created', async () => {
    await using nats = await startNats();
    await nats.createStream({ name: 'other', subjects: ['other.>'] });
    expect(await failuresOf(sink(nats.url, { stream: 'other' }))).toMatchObject({ code: 'JetStreamNotEnabled' });
    await opened[Symbol.asyncDispose]();
    opened = await freshSqlite();
    expect(await failuresOf(sink(nats.url, { prefix: 'other' }))).toMatchObject({ code: '10065' });
  });

  it('creates the stream again when it is deleted', async () => {
    await using nats = await startNats();
    await using pumping = await startPump(opened.store, sink(nats.url));
    await ingestBodies(opened.store, [contact(1, 'a')]);
    await expect.poll(() => pumping.position()).toBe(1);
    await nats.deleteStream('slotstream');
    await ingestBodies(opened.store, [contact(1, 'b')]);
    await expect.poll(() => pumping.position()).toBe(2);
    expect(await nats.published()).toHaveLength(1);
  });

  it('delays only the subject of an entry that is larger than the server accepts', async () => {
    await using nats = await startNats();
    await using pumping = await startPump(opened.store, sink(nats.url));
    await ingestBodies(opened.store, [contact(1, 'n'.repeat(1_200_000)), contact(1, 'later'), contact(2, 'other')]);
    await expect
      .poll(() => pumping.failed.at(-1))
      .toMatchObject({ code: 'MAX_PAYLOAD', hint: 'raise max_payload of the NATS server' });
    await expect.poll(async () => (await nats.published()).map(({ event }) => event.data?.seq)).toEqual([3]);
    expect(await pumping.position()).toBe(0);
  });

  it('logs in with a credentials file, and reports one that is missing', async () => {
    const { config, credentials } = await writeNatsCredentials();
    await using nats = await startNats({ args: ['-c', config] });
    expect((await failuresOf(sink(nats.url, { credentialsFile: `${credentials}x` })))?.code).toBe('ENOENT');
    expect((await failuresOf(sink(nats.url)))?.code).toBe('AuthorizationError');
    await using pumping = await startPump(opened.store, sink(nats.url, { credentialsFile: credentials }));
    await expect.poll(() => pumping.position()).toBe(1);
  });

  it('logs in with a user, and reports a wrong password and a server without TLS', async () => {
    await using nats = await startNats({ args: ['--user', 'ada', '--pass', 'secret'], login: 'ada:secret@' });
    expect((await failuresOf(sink(nats.url.replace('secret', 'wrong'))))?.code).toBe('AuthorizationError');
    await using pumping = await startPump(opened.store, sink(nats.url));
    await expect.poll(() => pumping.position()).toBe(1);
    const tls = { name: 'tls', open: natsSink({ url: nats.url.replace('nats:', 'tls:'), stream: 'x', prefix: 'x' }) };
    expect((await failuresOf(tls))?.code).toBe('ConnectionError');
  });
});
