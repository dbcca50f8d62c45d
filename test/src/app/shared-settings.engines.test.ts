// Several workers in one installation, one of which has other settings or is older than the database: under load, with real engines.
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { eventually } from '../../harness/moments.ts';
import { contactStory, whilst } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';
import { judge } from '../../oracle/deliveries.ts';

/** A receiver and three workers, and deliveries that go on until it is closed. */
async function openInstallation() {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const home = stack.use(await openHome({ DATABASE_URL: await copyPostgres(), QUEUE_URL: redis.url }));
  const { webhook } = await home.open('receive');
  const workers = [await home.open('work'), await home.open('work'), await home.open('work')];
  const sender = openSender({ url: webhook, key: home.signingKey, lanes: 1, retries: true });
  let isLoading = true;
  const load = sender.send(whilst(() => isLoading, contactStory({ contacts: 200, versions: 50 })));
  const endLoad = async () => {
    isLoading = false;
    await load;
  };
  stack.defer(async () => {
    isLoading = false;
    sender.close();
    await load.catch(() => {});
  });
  const kept = stack.move();
  return { home, workers, sender, endLoad, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function inDatabase(home: Home, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: home.store, options: '-c search_path=slotstream' });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}
const loggedIn = async (home: Home) =>
  Number((await inDatabase(home, 'select count(*) as n from event_log'))[0]?.['n']);

describe.runIf(inject('redisUrl') !== '' && inject('postgresUrl') !== '')('three workers of one mirror', () => {
  it('keep one set of rules: one that states another value does not start, and a change is applied to all while they work', async () => {
    await using installation = await openInstallation();
    const { home, workers, sender, endLoad } = installation;
    await eventually(() => loggedIn(home)).toBeGreaterThan(20);
    const other = {
      ERASE_ON_DELETE: 'false',
      RETENTION_DAYS: '1',
      REPORT_TIMEZONE: 'America/New_York',
      EVENTS: 'invitee.*',
    };
    const refused = await home.run(['work'], other);
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('ERASE_ON_DELETE is false here, and true in the mirror'),
    ]);
    for (const name of Object.keys(other)) expect(refused.err).toContain(name);
    expect(refused.err).toContain('settings --apply');
    expect((await home.run(['status'], other)).code).toBe(0);
    expect((await home.run(['doctor'], other)).out).toContain(
      '! settings: ERASE_ON_DELETE is false here and true in the mirror',
    );

    const applied = await home.run(['settings', '--apply'], { ERASE_ON_DELETE: 'false', RETENTION_DAYS: '90' });
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('RETENTION_DAYS: off → 90')]);
    for (const worker of workers)
      await eventually(() => worker.output()).toContain('the settings of the mirror have changed');
    // One after the other: those that run are not ended by the change, and each starts with the new value.
    for (const worker of workers) {
      expect(await worker.term()).toBe(0);
      await home.open('work', { settings: { ERASE_ON_DELETE: 'false', RETENTION_DAYS: '90' } });
    }
    expect((await home.run(['work'], { ERASE_ON_DELETE: 'true' })).code).toBe(3);
    await endLoad();
    await judge(home.store, sender.sent);
    expect(sender.sent.every(({ answers }) => answers.every((answer) => answer === 202))).toBe(true);
  });

  it('write nothing once a newer version has migrated the database, end with exit code 3, and lose nothing', async () => {
    await using installation = await openInstallation();
    const { home, workers, sender, endLoad } = installation;
    await eventually(() => loggedIn(home)).toBeGreaterThan(20);
    await inDatabase(home, `insert into kysely_migration (name, timestamp) values ('9999-newer', '')`);
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([3, 3, 3]);
    for (const worker of workers)
      expect(worker.output()).toContain('The database was made by a newer Slotstream than this one');
    const before = await loggedIn(home);
    const again = await home.run(['work'], { ERASE_ON_DELETE: 'false' });
    expect([again.code, again.err]).toEqual([3, expect.stringContaining('newer Slotstream')]);
    expect((await home.run(['status'])).err).toContain('newer Slotstream');
    await endLoad();
    expect(await loggedIn(home)).toBe(before);
    // The newer version starts.
    await inDatabase(home, `delete from kysely_migration where name = '9999-newer'`);
    await home.open('work');
    await judge(home.store, sender.sent);
  });
});
