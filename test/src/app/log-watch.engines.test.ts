// A database that went back, by a restored backup or a replica that was behind: it is noticed, said everywhere, and repaired.
import { cp, rm } from 'node:fs/promises';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { watchLog } from '#src/app/log-watch.ts';
import { instantOf, minuteMs } from '#src/base/time.ts';
import { createLog } from '#src/observability/log.ts';
import type { QueueNotes } from '#src/queue/contract.ts';
import { readWentBack } from '#src/read/health/recorded-inputs.ts';
import type { Store } from '#src/store/contract.ts';
import { moveEntry } from '#src/store/log/append.ts';
import { newestEntry, type LogEntry } from '#src/store/log/read.ts';
import { entriesAt, pruneEntries } from '#src/store/log/retention.ts';
import { openGap } from '#src/store/jobs/missed-window.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';
import { openSender, type Sent } from '../../harness/mirror/sender.ts';
import { eventually } from '../../harness/moments.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home, type RunningProduct } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { availableEngines, ingestBodies, receivedAt, testWith } from '../../harness/stores.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { copyPostgres } from '../../harness/templates.ts';
import { ask, judge } from '../../oracle/deliveries.ts';

const enqueuedAgain = 'batches that were finished since then are enqueued again';
const said = 'the database went back';

async function databaseCheck(running: Pick<RunningProduct, 'admin'>): Promise<HealthCheck | undefined> {
  const status = (await (await running.admin('/api/status')).json()) as { health: HealthCheck[] };
  return status.health.find(({ id }) => id === 'database');
}

/** A database on PostgreSQL that can be copied, and set back to the copy while processes use it. */
async function openServer() {
  const url = await copyPostgres();
  const name = new URL(url).pathname.slice(1);
  const run = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: inject('postgresUrl') });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const cutOff = (allowed: boolean): string => `alter database ${name} allow_connections ${allowed}`;
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  return {
    url,
    /** Processes reconnect afterwards. */
    copy: () => run(cutOff(false), end, `create database ${name}_copy template ${name}`, cutOff(true)),
    setBack: () =>
      run(
        cutOff(false),
        end,
        `drop database ${name} with (force)`,
        `alter database ${name}_copy rename to ${name}`,
        `alter database ${name} allow_connections true`,
      ),
  };
}

function openSenderOf({ webhook }: Pick<RunningProduct, 'webhook'>, home: Home) {
  const sender = openSender({ url: webhook, key: home.signingKey, lanes: 2, retries: true });
  return { ...sender, [Symbol.dispose]: () => sender.close() };
}

const story = (name: string) => contactStory({ contacts: 3, versions: 3, name });

describe('a SQLite file of before', () => {
  test('is noticed at the start by what the queue has noted, and said by log, status, doctor and the first page (S4)', async () => {
    await using home = await openHome();
    const file = home.store.slice('sqlite:'.length);
    const sent: Sent[] = [];
    async function run(name: string): Promise<void> {
      const running = await home.open('start');
      using sender = openSenderOf(running, home);
      await sender.send(story(name));
      sent.push(...sender.sent);
      await judge(home.store, sent);
      await eventually(() => databaseCheck(running)).toMatchObject({ state: 'ok' });
      await running.term();
    }
    await run('before');
    await cp(file, `${file}.backup`);
    await run('after');
    for (const ending of ['-wal', '-shm']) await rm(file + ending, { force: true });
    await cp(`${file}.backup`, file);

    const running = await home.open('start');
    await until(() => running.output().includes(said), 'the log says so');
    expect(running.output()).toContain('"code":"database_went_back"');
    expect(await databaseCheck(running)).toMatchObject({
      state: 'problem',
      sentence: expect.stringMatching(
        /^The database went back to about .*: erasures and answers since then are lost\. So are deliveries; how many is unknown\. No receiver has kept them/,
      ),
      fix: expect.stringMatching(/^Repeat the erasures: docs\/backup\.md#went-back\..*reconcile --repair/),
    });
    expect((await home.run(['status'])).out).toContain('✗ database: The database went back');
    expect((await home.run(['doctor'])).out).toContain('✗ database: The database went back');
    expect(await (await running.admin('/api/health')).text()).toContain('The database went back');
    // Once: what was lost is not noted any more.
    await running.term();
    const again = await home.open('start');
    await eventually(() => databaseCheck(again)).toMatchObject({ state: 'problem' });
    expect(again.output()).not.toContain(said);
  });
});

describe.runIf(inject('redisUrl') !== '' && inject('postgresUrl') !== '')('a database that others replace', () => {
  test('is noticed by workers that go on, and the command that is printed fetches what was in no delivery (S4)', async () => {
    await using sandbox = await openTestSandbox({ contacts: 8, bookings: 2, rateLimits: false, eventTypes: true });
    const { base_url: API_BASE_URL, tokens } = sandbox.handles;
    await using redis = await startRedis();
    const server = await openServer();
    await using home = await openHome({ DATABASE_URL: server.url, QUEUE_URL: redis.url, API_BASE_URL });
    const withToken = (...args: readonly string[]) => home.run(args, { API_TOKEN: tokens.owner });
    expect((await withToken('backfill')).code).toBe(0);
    const workers = [await home.open('work'), await home.open('work')];
    await server.copy();
    const body = { name: 'New', emails: [{ email: 'new@example.test', is_primary: true }] };
    expect((await sandbox.call('POST', '/contacts', { body })).status).toBe(201);
    expect((await withToken('reconcile', '--repair')).code).toBe(0);
    const countOf = () => ask(home.store, `select email from contact_emails where email = 'new@example.test'`);
    expect(await countOf()).toHaveLength(1);
    const newest = (await ask(home.store, 'select delivery_id from event_log order by seq desc limit 1'))[0];
    const noted = () => redis.cli('hvals', '{slotstream}:deliveries:notes');
    await eventually(noted).toContain(String(newest?.['delivery_id']));

    await server.setBack();
    expect(await countOf()).toEqual([]);
    await until(() => workers.some((worker) => worker.output().includes(said)), 'a worker says so');
    const [first] = workers;
    if (first) await eventually(() => databaseCheck(first)).toMatchObject({ state: 'problem' });
    expect((await withToken('reconcile', '--repair')).code).toBe(0);
    expect(await countOf()).toHaveLength(1);
    expect((await withToken('reconcile')).code).toBe(0);
    if (first)
      expect(await databaseCheck(first)).toMatchObject({
        state: 'warning',
        sentence: expect.stringContaining(
          'erasures and answers since then are lost. What the service has was compared',
        ),
        fix: 'Repeat the erasures: docs/backup.md#went-back.',
      });
    await eventually(noted).not.toContain(String(newest?.['delivery_id']));
  });
});

describe.runIf(inject('redisUrl') !== '' && inject('postgresUrl') !== '')('what receivers have kept', () => {
  test('is in the log again after the database went back, while deliveries go on, and nothing is there twice (S4)', async () => {
    await using redis = await startRedis();
    const server = await openServer();
    await using home = await openHome({ DATABASE_URL: server.url, QUEUE_URL: redis.url });
    const receiver = await home.open('receive');
    const workers = [await home.open('work'), await home.open('work')];
    using sender = openSenderOf(receiver, home);
    await sender.send(story('before'));
    await server.copy();
    let isLoading = true;
    const load = sender.send(whilst(() => isLoading, contactStory({ contacts: 50, versions: 200, name: 'load' })));
    const seqOf = async () => Number((await ask(home.store, 'select max(seq) as n from event_log'))[0]?.['n']);
    await eventually(seqOf).toBeGreaterThan(60);
    await server.setBack();
    await until(() => workers.some((worker) => worker.output().includes(said)), 'a worker says so');
    await until(() => receiver.output().includes(enqueuedAgain), 'a receiver enqueues again');
    isLoading = false;
    await load;
    await judge(home.store, sender.sent);
    const [worker] = workers;
    const check = worker && (await databaseCheck(worker));
    expect(check?.sentence).toContain('Receivers enqueue again what they have kept of them (DISK_LOG_KEEP).');
  });

  test('is in the log again after a backup was restored while no worker ran (S4)', async () => {
    await using redis = await startRedis();
    const server = await openServer();
    await using home = await openHome({ DATABASE_URL: server.url, QUEUE_URL: redis.url });
    const receiver = await home.open('receive');
    using sender = openSenderOf(receiver, home);
    const worker = await home.open('work');
    await sender.send(story('before'));
    await judge(home.store, sender.sent);
    await server.copy();
    await sender.send(story('lost'));
    await judge(home.store, sender.sent);
    await worker.term();
    await receiver.term();
    await server.setBack();
    await home.open('receive');
    await home.open('work');
    await judge(home.store, sender.sent);
  });
});

/** A note, as a worker of this mirror leaves it. */
const noteOf = (store: Store, entry: string, atMs: number, mirror = store.settings.id): string =>
  JSON.stringify({ mirror, entry, at_ms: atMs });

/** Looks once, at this time. */
async function look(store: Store, notes: QueueNotes, nowMs: number): Promise<void> {
  const log = createLog({ level: 'silent', pretty: false });
  await using _watch = watchLog({ store, notes, log, holder: 'own', nowMs: () => nowMs });
}

function notesOf(given: Readonly<Record<string, string>>): QueueNotes & { readonly found: Map<string, string> } {
  const found = new Map(Object.entries(given));
  return {
    found,
    read: async () => found,
    add: async (name, text) => void (found.has(name) || found.set(name, text)),
    write: async (name, text) => void found.set(name, text),
    remove: async (names) => names.forEach((name) => found.delete(name)),
  };
}

const nowMs = Date.parse(receivedAt) + 60 * minuteMs;

describe.each(availableEngines)('the notes of processes, on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('of another mirror, or that nothing can read, say nothing (S4)', async ({ store }) => {
    const others = { 'log a': noteOf(store, 'lost', nowMs, 'other'), 'log b': '{', 'log c': '{}', more: 'x' };
    const notes = notesOf(others);
    await look(store, notes, nowMs);
    expect(await readWentBack(store, nowMs)).toBeUndefined();
    expect(Object.fromEntries(notes.found)).toEqual(others);
  });

  it('name the newest entry of the log, also of other processes, and stay while it is there, moved or pruned (S4)', async ({
    store,
  }) => {
    const notes = notesOf({});
    await ingestBodies(store, [...contactStory({ contacts: 2, versions: 1 })]);
    await look(store, notes, nowMs);
    const newest = (await newestEntry(store)) ?? '';
    expect(JSON.parse(notes.found.get('log own') ?? '')).toMatchObject({ entry: newest, mirror: store.settings.id });
    await store.transaction((unit) => pruneEntries(unit, [2]));
    const [first] = await entriesAt(store, [1]);
    if (first) await store.transaction((unit) => moveEntry(unit, first, withoutSeq(first)));
    await look(store, notes, nowMs + 1);
    expect(await readWentBack(store, nowMs)).toBeUndefined();
  });

  it('of processes that ended are dropped when they say nothing more, and are never dropped for their age (S4)', async ({
    store,
  }) => {
    await ingestBodies(store, [...contactStory({ contacts: 1, versions: 1 })]);
    const entry = (await newestEntry(store)) ?? '';
    const old = noteOf(store, entry, nowMs - 61 * minuteMs);
    const notes = notesOf({ 'log old': old });
    await look(store, notes, nowMs);
    expect([...notes.found.keys()]).toEqual(['log old', 'log own']);
    await look(store, notes, nowMs);
    expect([...notes.found.keys()]).toEqual(['log own']);
  });

  it('that are not in the log are said once, since the last that is, with the gap that a comparison repairs (S4)', async ({
    store,
  }) => {
    await ingestBodies(store, [...contactStory({ contacts: 1, versions: 1 })]);
    const known = noteOf(store, (await newestEntry(store)) ?? '', nowMs - 5 * minuteMs);
    const notes = notesOf({
      'log a': known,
      'log b': noteOf(store, 'lost', nowMs - 4 * minuteMs),
      'log c': noteOf(store, 'lost too', nowMs - 3 * minuteMs),
    });
    await look(store, notes, nowMs);
    const found = { since: instantOf(nowMs - 5 * minuteMs), noticedAt: instantOf(nowMs) };
    expect(await readWentBack(store, nowMs)).toEqual(found);
    expect(await openGap(store)).toEqual({ since: found.since, notes: 1 });
    expect(notes.found.get('log a')).toBe(known);
    expect(notes.found.has('log b') || notes.found.has('log c')).toBe(false);

    // Another process, which remembers an entry of the same time.
    notes.found.set('log d', noteOf(store, 'lost as well', nowMs - 2 * minuteMs));
    await look(store, notes, nowMs + minuteMs);
    expect(await readWentBack(store, nowMs)).toEqual(found);
    expect(await openGap(store)).toMatchObject({ notes: 1 });
    // And one from before what was thought to be there.
    const earlier = instantOf(nowMs - 7 * minuteMs);
    notes.found.set('log a', noteOf(store, (await newestEntry(store)) ?? '', nowMs - 7 * minuteMs));
    notes.found.set('log e', noteOf(store, 'lost before', nowMs - 6 * minuteMs));
    await look(store, notes, nowMs + 2 * minuteMs);
    expect(await readWentBack(store, nowMs)).toEqual({ ...found, since: earlier });
    expect(await openGap(store)).toEqual({ since: earlier, notes: 2 });
    // It went back again: what was shown until then is not forgotten.
    notes.found.set('log f', noteOf(store, 'lost later', nowMs + 8 * minuteMs));
    await look(store, notes, nowMs + 9 * minuteMs);
    expect(await readWentBack(store, nowMs)).toEqual({ since: earlier, noticedAt: instantOf(nowMs + 9 * minuteMs) });
  });

  it('in an empty log are lost since the beginning (S4)', async ({ store }) => {
    await look(store, notesOf({ 'log a': noteOf(store, 'lost', nowMs) }), nowMs);
    expect(await readWentBack(store, nowMs)).toMatchObject({ since: instantOf(0) });
  });
});

const withoutSeq = ({ seq: _seq, ...entry }: LogEntry): Omit<LogEntry, 'seq'> => entry;
