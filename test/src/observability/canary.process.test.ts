// Nothing private gets out: canaries travel every path there is, good and bad, and nothing that people read shows one.
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ask, expectNoTraceOf } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { createDatabase } from '../../harness/postgres.ts';
import { openHome, type Home, type Product } from '../../harness/product.ts';
import { startRedis, type TestRedis } from '../../harness/redis.ts';
import { openSender, signed } from '../../harness/mirror/sender.ts';
import { contactDelivery, contactUri } from '../../harness/data/contact-deliveries.ts';

const canaries = {
  email: 'canary.bird@example.test',
  phone: '+49 30 5550199',
  name: 'Kanarienvogel Gelbfeder',
  'signing key': 'canary-signing-key-9f8e7d6c5b4a39281706',
  'admin token': 'canary-admin-token-0a1b2c3d4e5f60718293',
  'read-only token': 'canary-read-token-1b2c3d4e5f6071829304',
  'Redis password': 'canary-redis-password-55aa55',
  'database password': 'canary-database-password-aa55aa',
  'MCP token': 'canary-mcp-token-2c3d4e5f60718293041526',
  'Kafka password': 'canary-kafka-password-66bb66',
  'NATS password': 'canary-nats-password-77cc77',
  'S3 secret': 'canary-s3-secret-88dd88',
};
const person = {
  name: canaries.name,
  emails: [{ email: canaries.email, is_primary: true }],
  phone_numbers: [{ phone_number: canaries.phone }],
};
const about = (id: string, more: object = person): string =>
  contactDelivery({ id, version: 1, more: { ...person, ...more } });

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('nothing private gets out', () => {
  let redis: TestRedis;
  let home: Home;
  let product: Product;
  let queue: Queue;

  beforeAll(async () => {
    redis = await startRedis({ args: ['--requirepass', canaries['Redis password']] });
    const store = new URL(await createDatabase(inject('postgresUrl')));
    store.password = canaries['database password'];
    home = await openHome({
      QUEUE_URL: `redis://:${canaries['Redis password']}@127.0.0.1:${redis.port}`,
      DATABASE_URL: store.href,
      SIGNING_KEYS: canaries['signing key'],
      ADMIN_TOKEN: canaries['admin token'],
      ADMIN_READ_TOKEN: canaries['read-only token'],
      MCP_TOKEN: canaries['MCP token'],
      FEED_KAFKA_URL: `kafka://me:${canaries['Kafka password']}@127.0.0.1:1/feed`,
      FEED_NATS_URL: `nats://me:${canaries['NATS password']}@127.0.0.1:1`,
      AWS_SECRET_ACCESS_KEY: canaries['S3 secret'],
      LOG_LEVEL: 'debug',
    });
    product = await home.start('start');
    queue = new Queue('deliveries', {
      prefix: '{slotstream}',
      connection: { port: redis.port, password: canaries['Redis password'] },
    });
    queue.on('error', () => undefined);
  });
  afterAll(async () => {
    await queue.close();
    await home[Symbol.asyncDispose]();
    await redis.stop();
  });

  const count = async (where: string): Promise<number> =>
    Number((await ask(home.store, `select count(*) as n from event_log where ${where}`))[0]?.['n']);

  async function deliver(...bodies: readonly string[]): Promise<void> {
    const sender = openSender({ url: product.webhook, key: home.signingKey, retries: true });
    const before = await count('true');
    await sender.send(bodies);
    sender.close();
    await until(async () => (await count('true')) >= before + bodies.length, 'every delivery is in the log');
  }

  async function everythingSaid(): Promise<Record<string, string>> {
    const paths = ['/metrics', '/api/status', '/api/health'];
    const answers = await Promise.all(paths.map((path) => product.admin(path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    // Each line is one record, whatever the deliveries contain.
    for (const line of product.output().trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
    return { output: home.output(), ...Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? ''])) };
  }

  it('when deliveries are good, of unknown kinds, malformed or forged in the queue', async () => {
    await deliver(
      about('good'),
      JSON.stringify({ event: canaries.email, created_at: '2025-04-14T11:42:33Z', payload: person }),
      JSON.stringify({ event: 'contact.merged', created_at: canaries.name, payload: person }),
      `{"event": "contact.created", ${JSON.stringify(canaries.email)}: broken`,
      about('badly-typed', { uri: 17, emails: canaries.email, updated_at: canaries.phone }),
      `${'['.repeat(2000)}${JSON.stringify(canaries.name)}`,
      about('surrogate', { company: '\ud800' }),
      about('nul', { company: `${canaries.email}\0` }),
      about('lines', { name: `${canaries.name}\r\n{"level":"fatal"}\u2028` }),
      JSON.stringify({ event: 'two\r\n{"level":"fatal"}\u001b[2J', payload: {} }),
    );
    await queue.add('batch', { v: 1, deliveries: [{ body: 17, name: canaries.name }] });
    await queue.add('batch', [canaries.email]);
    await until(async () => (await count(`reason like 'The queue held%'`)) === 2, 'the forged jobs are in quarantine');
    expectNoTraceOf(canaries, await everythingSaid());
  });

  it('when the store refuses a delivery and quotes it', async () => {
    await ask(home.store, `alter table contacts add constraint taste check (company <> 'Poison')`);
    await deliver(about('poison', { company: 'Poison' }), about('neighbour'));
    const [kept] = await ask(
      home.store,
      `select outcome, reason from event_log where subject_uri = '${contactUri('poison')}'`,
    );
    expect(kept).toEqual({ outcome: 'quarantined', reason: 'The store refused it (23514).' });
    expectNoTraceOf(canaries, { ...(await everythingSaid()), reasons: JSON.stringify(kept) });
  });

  it('when a batch has to be tried again, not in the job either', async () => {
    await ask(
      home.store,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'not %', new.name using errcode = '40001', detail = new.emails::text; end $$;
       create trigger moody before insert or update on contacts for each row
         when (new.company = 'Moody') execute function refuse();`,
    );
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send([about('moody', { company: 'Moody' })]);
    sender.close();
    await until(async () => (await queue.getDelayedCount()) === 1, 'the batch waits for its next try');
    const jobs = await queue.getJobs(['delayed', 'wait', 'active']);
    const { failedReason, stacktrace } = jobs[0] ?? {};
    expect(failedReason).toBe('40001');
    expectNoTraceOf(canaries, { ...(await everythingSaid()), job: JSON.stringify([failedReason, stacktrace]) });
    await ask(home.store, 'drop trigger moody on contacts');
    await until(
      async () => (await count(`subject_uri = '${contactUri('moody')}' and outcome = 'applied'`)) === 1,
      'it got through',
    );
  });

  it('when a client without the key or the token tries', async () => {
    const body = about('intruder');
    const headers = {
      ...signed('another key', body),
      authorization: `Bearer ${canaries['admin token']}`,
      'user-agent': canaries.email,
    };
    await fetch(`${product.webhook}?token=${canaries['admin token']}`, { method: 'POST', headers, body });
    await fetch(`${product.url}/${encodeURIComponent(canaries.email)}`, { method: 'PUT', headers, body });
    const admin = await product.admin(`/api/${encodeURIComponent(canaries.email)}`);
    expect(admin.status).toBe(404);
    expectNoTraceOf(canaries, { ...(await everythingSaid()), answer: await admin.text() });
  });

  it('when a client of MCP sends something wrong', async () => {
    const endpoint = new URL('/mcp', (await product.admin('/readyz')).url);
    const call = (name: string, given: object) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
    const post = async (body: string, more: Record<string, string> = {}) => {
      const headers = {
        authorization: `Bearer ${canaries['MCP token']}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      };
      const answer = await fetch(endpoint, { method: 'POST', headers, body });
      return `${answer.status} ${await answer.text()}`;
    };
    const answers = [
      await post(call(canaries.email, {})),
      await post(call('why', { cursor: canaries.email, record: 'x' })),
      await post(call('query_table', { table: canaries.email })),
      await post(call('query_table', { table: 'bookings', filters: { [canaries.email]: canaries.email } })),
      await post(`{ "jsonrpc": ${canaries.email}`),
      await post(call('list_tables', {}), { authorization: `Bearer ${canaries['admin token']}` }),
    ];
    // It is answered with what is wrong about it.
    expect(await post(call('health', {}), { 'mcp-protocol-version': canaries.email })).toMatch(/^400/);
    expect(answers.at(-1)).toMatch(/^401/);
    expectNoTraceOf(canaries, { ...(await everythingSaid()), answers: answers.join('\n') });
  });

  it('when Redis and the processes come and go', async () => {
    await redis.kill9();
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send([about('spooled')]);
    sender.close();
    await until(async () => (await product.readyStatus()) === 'degraded', 'it has noticed');
    await redis.restart();
    await until(async () => (await count(`subject_uri = '${contactUri('spooled')}'`)) === 1, 'it got through');
    const refused = await home.run(['doctor'], {
      DATABASE_URL: `postgres://u:${canaries['database password']}@127.0.0.1:1/none`,
    });
    expect(refused.code).toBe(3);
    expectNoTraceOf(canaries, await everythingSaid());
  });
});
