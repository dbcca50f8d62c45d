// Every process reports to the others: `status`, `doctor` and the API list all of them, and what each has on its disk.
import { describe, expect, inject, it, vi } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { openStore } from '#src/store/open-store.ts';
import { isMissing } from '#src/store/process-reports.ts';
import { listProcesses, writeProcess, type ProcessRow } from '#src/store/processes.ts';
import { eventually } from '../../harness/moments.ts';
import { openAlertReceivers } from '../../harness/alerts/alert-receivers.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { processRow } from '../../harness/data/process-row.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { openProxy } from '../../harness/silent-proxy.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

interface Listed {
  readonly processes?: readonly Record<string, unknown>[];
}

const rolesIn = (text: string): unknown[] => ((JSON.parse(text) as Listed).processes ?? []).map(({ role }) => role);
const statusOf = async (home: Home): Promise<string> => (await home.run(['status', '--json'])).out;

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('processes on two machines, with PostgreSQL', () => {
  it('are listed by status and the API on both, until they stop', async () => {
    await using redis = await startRedis();
    const settings = { QUEUE_URL: redis.url, DATABASE_URL: await copyPostgres() };
    await using one = await openHome({ ...settings });
    await using other = await openHome({ ...settings, SIGNING_KEYS: one.signingKey });
    const worker = await one.open('work');
    const receiver = await other.open('receive');
    for (const home of [one, other])
      await until(async () => rolesIn(await statusOf(home)).length === 2, 'both are listed');
    expect(rolesIn(await statusOf(one))).toEqual(['receive', 'work']);
    expect(JSON.parse(await statusOf(other))).toMatchObject({ running: true, store: { last_seq: 0 } });
    for (const process of [worker, receiver])
      expect(rolesIn(await (await process.admin('/api/status')).text())).toEqual(['receive', 'work']);
    expect((await one.run(['doctor'])).out).toMatch(/✓ processes: Running: receive on .+ \(pid \d+\), work on /);
    await receiver.term();
    expect(rolesIn(await statusOf(one))).toEqual(['work']);
  });

  it.each([-600_000, 600_000])(
    'one that receives is not missing for others, nor for itself, with a clock that is %i ms ahead',
    async (byMs) => {
      await using redis = await startRedis();
      await using home = await openHome({ QUEUE_URL: redis.url, DATABASE_URL: await copyPostgres() });
      await using store = await openStore({ report: () => {} }, home.store);
      const rightMs = Date.now.bind(Date);
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightMs() + byMs);
      try {
        const receiver = await home.open('receive');
        const missing = async () => (await listProcesses(store, rightMs())).map((row) => isMissing(row, rightMs()));
        await eventually(missing).toEqual([false]);
        const { processes } = JSON.parse(await statusOf(home)) as { processes: ProcessRow[] };
        expect(processes.map((row) => isMissing(row, Date.now()))).toEqual([false]);
        await receiver.term();
      } finally {
        clock.mockRestore();
      }
    },
  );
});

describe.runIf(inject('redisUrl'))('a receiver beside a worker on one data folder, with SQLite', () => {
  it('shows what waits on its disk while Redis is away, and the worker alerts it', async () => {
    await using redis = await startRedis();
    await using inbox = await openAlertReceivers();
    await using home = await openHome({ ...inbox.settings, QUEUE_URL: redis.url, WATCH_EVERY: '1s' });
    const worker = await home.open('work');
    const receiver = await home.open('receive');
    await redis.kill9();
    const sender = openSender({ url: receiver.webhook, key: home.signingKey });
    await sender.send([contactDelivery({ id: 'a', version: 1 })]);
    sender.close();
    expect(JSON.parse(await statusOf(home))).toMatchObject({
      queue: { state: 'not answering' },
      store: { engine: 'sqlite' },
      processes: [
        { role: 'receive', spool_deliveries: 1, queue: 'not answering', queue_waiting: null },
        { role: 'work', spool_deliveries: null },
      ],
    });
    expect(await (await worker.admin('/api/health')).json()).toMatchObject({
      verdict: { state: 'problem' },
      health: expect.arrayContaining([
        expect.objectContaining({
          id: 'disk_log',
          sentence: expect.stringMatching(/^1 delivery waits on the disk of receive on /),
        }),
      ]),
    });
    const { code, out } = await home.run(['doctor']);
    expect(code).toBe(3);
    expect(out).toMatch(/! disk_log: 1 delivery waits on the disk of receive on /);
    expect(out).not.toContain('writeable');
    const alerts = () => inbox.webhook.received.map(({ raw }) => raw.toString()).join();
    await eventually(alerts).toContain('1 delivery waits on the disk of receive on ');
    await worker.term();
  });
});

describe.runIf(inject('postgresUrl'))('a PostgreSQL that accepts connections and does not answer', () => {
  it('is named by status, which a process still answers in time, and by doctor without advice about workers', async () => {
    await using proxy = await openProxy(await copyPostgres());
    await using home = await openHome({ DATABASE_URL: proxy.url });
    await home.open('start');
    const hole = proxy.blackHole();
    // Also where an expectation fails: a process that waits for the database would not end.
    using _ended = { [Symbol.dispose]: () => void hole.end() };
    await eventually(async () => JSON.parse(await statusOf(home)) as unknown).toMatchObject({
      running: true,
      store: { state: 'not answering' },
      health: expect.arrayContaining([expect.objectContaining({ id: 'store', state: 'problem' })]),
    });
    const { code, out } = await home.run(['doctor']);
    expect([code, out]).toEqual([3, expect.stringContaining('PostgreSQL accepts connections and does not answer.')]);
    expect(out).not.toContain('Run more workers');
  });
});

describe.runIf(inject('postgresUrl'))('a PostgreSQL that has stopped', () => {
  it('leaves the receiver ready for deliveries and the list of processes as it was, and is reported once', async () => {
    const database = await copyPostgres();
    await using proxy = await openProxy(database);
    await using home = await openHome({ DATABASE_URL: proxy.url });
    const product = await home.open('start');
    await using store = await openStore({ report: () => {} }, database);
    await writeProcess(store, processRow({ role: 'receive', host: 'far', seen_at: instantOf(Date.now()) }));
    await until(async () => rolesIn(await statusOf(home)).length === 2, 'both are listed');
    await proxy[Symbol.asyncDispose]();
    await until(async () => (await product.readyStatus()) === 'degraded', 'it is degraded');
    expect(await product.readiness()).toBe(200);
    expect((await product.admin('/readyz')).status).toBe(503);
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send([contactDelivery({ id: 'a', version: 1 })]);
    sender.close();
    expect(sender.sent.flatMap(({ answers }) => answers)).toEqual([202]);

    const status = await home.run(['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({
      running: true,
      queue: { engine: 'embedded' },
      store: { state: 'not answering' },
      processes: [{ role: 'receive', host: 'far' }, { role: 'start' }],
    });
    const { code, out } = await home.run(['doctor']);
    expect(code).toBe(3);
    expect(out.match(/ECONNREFUSED/g)).toHaveLength(1);
    expect(out).toContain('! alerts: not checked: the store does not answer.');
  });
});
