// Every verb beside tables of an application: the schema `public` of PostgreSQL stays as it was, also with the queue there.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { verbs } from '#src/cli/verbs.ts';
import { freePort, until } from '../../harness/ports.ts';
import { startPostgres } from '../../harness/postgres.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { ask } from '../../oracle/deliveries.ts';

/** Whatever a schema holds that belongs to no extension. */
const contentOf = (schema: string): string => {
  const of = (catalog: string, name: string, space: string) =>
    `select '${catalog}' as kind, ${name} as name from ${catalog} o where ${space} = '${schema}'::regnamespace
      and not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = o.oid and d.deptype = 'e')`;
  return `${[
    of('pg_class', 'relname', 'relnamespace'),
    // The array of a type of an extension belongs to it only through that type.
    `${of('pg_type', 'typname', 'typnamespace')} and o.typcategory <> 'A'`,
    of('pg_proc', 'proname', 'pronamespace'),
    of('pg_operator', 'oprname', 'oprnamespace'),
    of('pg_collation', 'collname', 'collnamespace'),
  ].join(' union all ')} order by 1, 2`;
};

/** They open no mirror of DATABASE_URL. */
const elsewhere = ['login', 'demo', 'sandbox'];
/** Those that run until they are stopped have tests of their own below. */
const lasting = ['start', 'receive', 'work', 'mcp'];

describe.runIf(inject('postgresUrl'))('the schema public of a database that a mirror and its queue share', () => {
  const open = new AsyncDisposableStack();
  let home: Home;
  let url: string;
  let before: readonly unknown[];
  const present = () => ask(url, contentOf('public'));

  beforeAll(async () => {
    // The queue refuses a server that can lose what it committed.
    const server = open.use(await startPostgres({ durable: true }));
    url = await server.createDatabase();
    await ask(
      url,
      'create table public.customers (id serial primary key, name text); create type public.size as enum ()',
    );
    before = await present();
    const sandbox = open.use(await openTestSandbox({ contacts: 3, bookings: 3, rateLimits: false }));
    const port = String(await freePort());
    home = open.use(
      await openHome({
        DATABASE_URL: url,
        QUEUE_URL: url,
        PORT: port,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        API_BASE_URL: sandbox.handles.base_url,
        API_TOKEN: sandbox.handles.tokens.owner,
      }),
    );
    const receiver = await home.open('receive');
    const worker = await home.open('work');
    await home.run(['trigger', 'contact.created']);
    await until(
      async () => (await ask(url, 'select uri from slotstream.contacts')).length > 0,
      'the delivery went through the queue into a row',
    );
    open.defer(async () => void (await Promise.all([receiver.term(), worker.term()])));
  });
  afterAll(() => open.disposeAsync());

  it('is as it was beside a receiver and a worker, whose tables are elsewhere', async () => {
    expect(before.length).toBeGreaterThan(0);
    expect(await present()).toEqual(before);
    for (const schema of ['slotstream', 'slotstream_queue'])
      expect(await ask(url, contentOf(schema))).toContainEqual({
        kind: 'pg_class',
        name: expect.any(String) as string,
      });
  });

  const runs: readonly (readonly string[])[] = [
    ['bootstrap'],
    ['backfill'],
    ['settings'],
    ['settings', '--apply'],
    ['status'],
    ['doctor'],
    ['trigger', 'invitee.created'],
    ['why', 'stranger@example.test'],
    ['feed'],
    ['export', 'contacts_wide', '--out', 'FOLDER/contacts.csv'],
    ['alerts', 'test'],
    ['alerts', 'list'],
    ['reconcile'],
    ['reconcile', '--repair'],
    ['replay', '--all'],
    ['rebuild'],
    ['erase', 'stranger@example.test'],
    ['retention'],
  ];

  it.each(runs.map((args) => [args.join(' '), args] as const))('is as it was after `%s`', async (_, args) => {
    const { err } = await home.run(args.map((arg) => arg.replace('FOLDER', home.dataDir)));
    // The command did its work, or found something to report; it was not refused.
    expect(err).not.toMatch(/DATABASE_URL|no mirror|unknown option|Usage/);
    expect(await present()).toEqual(before);
  });

  it('is as it was after `start` and `mcp`', async () => {
    const alone = await openHome({ DATABASE_URL: url, QUEUE_URL: url, SIGNING_KEYS: home.signingKey });
    open.use(alone);
    const product = await alone.open('start');
    const mcp = home.openVerb(['mcp']);
    expect(await product.term()).toBe(0);
    await mcp.signal('SIGTERM');
    expect(await present()).toEqual(before);
  });

  it('was looked at after every verb that opens a mirror', () => {
    const looked = new Set([...elsewhere, ...lasting, ...runs.map(([verb]) => verb)]);
    expect(verbs.map(({ name }) => name).filter((name) => !looked.has(name))).toEqual([]);
  });
});
