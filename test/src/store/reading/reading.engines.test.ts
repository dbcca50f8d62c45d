// What reads for people and programs: how long, how many at once, and that nothing else waits for it.
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { codeOf, isTransient } from '#src/base/errors.ts';
import { openStore } from '#src/store/open-store.ts';
import { openReading } from '#src/store/reading/reading.ts';
import type { ReaderLimits } from '#src/store/reading/sqlite-readers.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { eventually } from '../../../harness/moments.ts';
import { startPostgresPair } from '../../../harness/postgres-failover.ts';
import { openHome } from '../../../harness/product.ts';
import { asks, asksWithoutEnd, killReader, readerScript, readersOf } from '../../../harness/reading.ts';
import { openProxy } from '../../../harness/silent-proxy.ts';
import { availableEngines, freshSqlite, ingestBodies, type TestStore } from '../../../harness/stores.ts';
import { copyPostgres } from '../../../harness/templates.ts';
import { ask } from '../../../oracle/deliveries.ts';

const report = () => undefined;
const failureOf = (question: Promise<unknown>): Promise<unknown> => question.then(() => 'an answer', codeOf);

async function readingOf({ store, url }: Pick<TestStore, 'store' | 'url'>, limits: Partial<ReaderLimits> = {}) {
  const reading = await openReading({ store, url, readerScript, report }, limits);
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await reading[Symbol.asyncDispose]();
    isClosed = true;
  };
  onTestFinished(close);
  return { ...reading, close };
}

describe.each(availableEngines)('what reads $name', ({ name, fresh }) => {
  it('stops a question without an end at its limit, while deliveries are acknowledged and folded', async () => {
    await using opened = await fresh();
    const { url } = opened;
    await using home = await openHome({ DATABASE_URL: url });
    const { webhook } = await home.open('start');
    const sender = openSender({ url: webhook, key: home.signingKey });
    onTestFinished(() => sender.close());
    const reading = await readingOf(opened, { statementMs: 3_000 });
    let isOver = false;
    const failure = failureOf(asksWithoutEnd(reading)).finally(() => (isOver = true));
    await eventually(() => readersOf(url)).toHaveLength(1);
    let folded = 0;
    for (let id = 1; !isOver; id += 1) {
      await sender.send([contactDelivery({ id: `c${id}`, version: 1 })]);
      await eventually(async () => Number((await ask(url, rowCount(name)))[0]?.['n'])).toBe(id);
      if (!isOver) folded = id;
    }
    expect(await failure).toBe('question_slow');
    expect(sender.accepted()).toBe(sender.sent.length);
    expect(folded).toBeGreaterThan(2);
  });

  it('says how to narrow a question that was stopped', async () => {
    await using opened = await fresh();
    const reading = await readingOf(opened, { statementMs: 300 });
    await expect(asksWithoutEnd(reading)).rejects.toMatchObject({
      message: 'The question was stopped: one may take 0.3 seconds.',
      hint: expect.stringContaining('add a filter'),
    });
  });

  it('answers two questions at once, the second in a process or on a connection of its own', async () => {
    await using opened = await fresh();
    const reading = await readingOf(opened);
    expect(await readersOf(opened.url)).toEqual([]);
    const first = failureOf(asksWithoutEnd(reading));
    await eventually(() => readersOf(opened.url)).toHaveLength(1);
    // Answered beside a question without an end.
    expect((await asks(reading, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(await readersOf(opened.url)).toHaveLength(2);
    await reading.close();
    expect(await first).not.toBe('an answer');
  });

  it('lets a few wait for their turn for a while, and refuses the others at once', async () => {
    await using opened = await fresh();
    const reading = await readingOf(opened, { most: 2, mostWaiting: 3, waitMs: 1_000, statementMs: 60_000 });
    const running = [asksWithoutEnd(reading), asksWithoutEnd(reading)].map(failureOf);
    const startMs = performance.now();
    const ended: string[] = [];
    const wait = (who: string) => failureOf(asks(reading, 'select 1')).then((code) => ended.push(`${who} ${code}`));
    const waiting = ['a', 'b', 'c'].map(wait);
    await wait('d');
    expect(ended).toEqual(['d questions_wait']);
    await Promise.all(waiting);
    expect(ended.slice(1)).toEqual(['a questions_wait', 'b questions_wait', 'c questions_wait']);
    expect(performance.now() - startMs).toBeGreaterThan(900);
    await reading.close();
    await Promise.all(running);
  });

  it('goes on after a reader was killed, idle or busy', async () => {
    await using opened = await fresh();
    const { url } = opened;
    const reading = await readingOf(opened);
    await asks(reading, 'select 1');
    const [idle = 0] = await readersOf(url);
    await killReader(url, idle);
    await eventually(() => readersOf(url)).toEqual([]);
    // The news of its end may be on its way still.
    await eventually(() => failureOf(asks(reading, 'select 1'))).toBe('an answer');
    const busy = asksWithoutEnd(reading).catch((error: unknown) => error);
    await eventually(() => readersOf(url)).toHaveLength(1);
    const [second = 0] = await readersOf(url);
    expect(second).not.toBe(idle);
    await killReader(url, second);
    expect(isTransient(await busy)).toBe(true);
    expect((await asks(reading, 'select 2 as two')).rows).toEqual([{ two: 2 }]);
    const after = await readersOf(url);
    expect(after).toHaveLength(1);
    expect(after).not.toContain(second);
  });

  it('starts nothing before the first question, and leaves nothing behind when it is closed', async () => {
    await using opened = await fresh();
    const { url } = opened;
    const reading = await readingOf(opened);
    expect(await readersOf(url)).toEqual([]);
    const busy = [asksWithoutEnd(reading), asksWithoutEnd(reading.searches)].map(failureOf);
    await asks(reading, 'select 1');
    await eventually(() => readersOf(url)).toHaveLength(3);
    await reading.close();
    // A server notices within two seconds that a client has gone.
    await eventually(() => readersOf(url)).toEqual([]);
    expect(await Promise.all(busy)).not.toContain('an answer');
    expect(await failureOf(asks(reading, 'select 1'))).not.toBe('an answer');
  });

  it('reads no less and no more than the store does', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await ingestBodies(store, [contactDelivery({ id: 'ada', version: 1 })]);
    const reading = await readingOf(opened);
    const text = `select * from ${store.engine.schema}.contacts`;
    expect((await asks(reading, text)).rows).toEqual((await asks(store, text)).rows);
    expect((await asks(reading.searches, text)).rows).toHaveLength(1);
  });

  it.each(['insert', 'update', 'delete', 'create'])('refuses to write: %s', async (verb) => {
    await using opened = await fresh();
    const { store } = opened;
    await ingestBodies(store, [contactDelivery({ id: 'ada', version: 1 })]);
    const reading = await readingOf(opened);
    const contacts = `${store.engine.schema}.contacts`;
    const statements: Readonly<Record<string, string>> = {
      insert: `insert into ${contacts} (uri) values ('x')`,
      update: `update ${contacts} set name = 'x'`,
      delete: `delete from ${contacts}`,
      create: `create table ${store.engine.schema}.other (id integer)`,
    };
    for (const each of [reading, reading.searches])
      expect(await failureOf(asks(each, statements[verb] ?? ''))).toMatch(/^(SQLITE_READONLY|25006)$/);
    expect((await asks(store, `select name from ${contacts}`)).rows).toEqual([
      { name: expect.not.stringMatching(/^x$/) },
    ]);
  });
});

const rowCount = (name: 'sqlite' | 'postgres'): string =>
  `select count(*) as n from ${name === 'sqlite' ? '' : 'slotstream.'}contacts`;

describe.each(availableEngines.filter(({ name }) => name === 'sqlite'))('a process that reads $name', ({ fresh }) => {
  it('ends when it has had no question for a while, and the next question starts another', async () => {
    await using opened = await fresh();
    const reading = await readingOf(opened, { idleMs: 50 });
    await asks(reading, 'select 1');
    await eventually(() => readersOf(opened.url)).toEqual([]);
    expect((await asks(reading, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

describe.runIf(inject('postgresUrl'))('what reads PostgreSQL', () => {
  it('keeps its limits behind a pooler that drops the settings of the session', async () => {
    const url = await copyPostgres();
    await using proxy = await openProxy(url, { dropsOptions: true });
    await using store = await openStore({ report }, proxy.url);
    await ingestBodies(store, [contactDelivery({ id: 'ada', version: 1 })]);
    const reading = await readingOf({ store, url: proxy.url }, { statementMs: 300 });
    expect(await failureOf(asksWithoutEnd(reading))).toBe('question_slow');
    expect(await failureOf(asks(reading, 'delete from slotstream.contacts'))).toBe('25006');
    expect(await failureOf(asks(reading.searches, 'delete from slotstream.contacts'))).toBe('25006');
    const settings = `select current_setting('TimeZone') as zone, current_setting('jit') as jit,
      current_setting('lock_timeout') as locks, current_setting('temp_file_limit') as files`;
    const expected = [{ zone: 'UTC', jit: 'off', locks: '2s', files: '1GB' }];
    expect((await asks(reading, settings)).rows).toEqual(expected);
    await using direct = await openReading({ store, url, readerScript, report });
    expect((await asks(direct, settings)).rows).toEqual(expected);
    // The session of the pooler goes to others as it came.
    expect(await ask(url, `select count(*)::int as n from slotstream.contacts`)).toEqual([{ n: 1 }]);
  });

  it('goes on without a limit of temporary files, which only a superuser may set', async () => {
    const url = await copyPostgres();
    const own = new URL(url);
    own.username = 'analyst';
    await ask(
      url,
      `do $$ begin create role analyst login; exception when duplicate_object then null; end $$;
      grant usage on schema slotstream to analyst; grant select on all tables in schema slotstream to analyst`,
    );
    await using store = await openStore({ report }, url);
    const reading = await readingOf({ store, url: own.href });
    expect(
      (await asks(reading, `select current_user as who, current_setting('temp_file_limit') as files`)).rows,
    ).toEqual([{ who: 'analyst', files: '-1' }]);
  });
});

it('the time in which a process of a busy machine loads its code is none of the question', async () => {
  await using opened = await freshSqlite();
  const slow = new URL(import.meta.resolve('./slow-reader.ts'));
  await using reading = await openReading({ ...opened, readerScript: slow, report }, { statementMs: 1_000 });
  const request = { url: 'http://localhost/api/tables', accept: null, who: undefined, secret: 'secret' };
  expect(await reading.respond?.(request)).toMatchObject({ status: 200, failures: [] });
});

describe.runIf(inject('postgresUrl'))('a standby that is read', () => {
  it('answers instead of the primary, says by how much it is behind, and is refused where it is another mirror', async () => {
    await using pair = await startPostgresPair({ isSynchronous: false });
    await using store = await openStore({ report }, pair.onPrimary);
    const others = { store, url: pair.onPrimary, readerScript, report };
    await using reading = await openReading({ ...others, readUrl: pair.onStandby });
    await ingestBodies(store, [contactDelivery({ id: 'ada', version: 1 })]);
    const count = async () =>
      (await asks(reading, 'select count(*)::int as n from slotstream.contacts')).rows[0]?.['n'];
    await eventually(count).toBe(1);
    expect(await reading.behindSeconds()).toEqual(expect.any(Number));
    await pair.cutOff();
    await ingestBodies(store, [contactDelivery({ id: 'grace', version: 1 })]);
    expect(await count()).toBe(1);
    const behind = (await reading.behindSeconds()) ?? 0;
    await eventually(async () => (await reading.behindSeconds()) ?? 0).toBeGreaterThan(behind + 0.5);
    await using primary = await openReading(others);
    expect(await primary.behindSeconds()).toBe(null);

    const another = await copyPostgres();
    await ask(another, `update slotstream.mirror_settings set id = 'another'`);
    await expect(openReading({ ...others, readUrl: another })).rejects.toMatchObject({
      code: 'config',
      message: 'DATABASE_READ_URL leads to another mirror than DATABASE_URL.',
    });
    const empty = new URL(another);
    empty.pathname = '/postgres';
    await expect(openReading({ ...others, readUrl: empty.href })).rejects.toMatchObject({
      message: 'DATABASE_READ_URL leads to a database without a mirror in the schema slotstream.',
    });
    // One that is away does not keep a worker from starting.
    const away = new URL(pair.onStandby);
    away.port = '1';
    const reported: unknown[] = [];
    await using absent = await openReading({
      ...others,
      readUrl: away.href,
      report: (error) => void reported.push(error),
    });
    expect(reported).toHaveLength(1);
    await expect(asks(absent, 'select 1')).rejects.toSatisfy(isTransient);
  });
});
