// `slotstream erase` as an operator types it, beside a running product: the person is gone and stays gone.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { readSegment } from '#src/receiver/disk-log/segment.ts';
import { startRedis } from '../../../harness/redis.ts';
import { eventually } from '../../../harness/moments.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { freePort, until } from '../../../harness/ports.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { openReader } from '../../../chaos/oracle/read.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { listNames, tableNames } from '../../../harness/stores.ts';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';

/** Every row of every table and every list, as text. */
async function everything(home: Home): Promise<string> {
  await using reader = await openReader(home.store);
  const rows = await Promise.all([...tableNames, ...listNames].map((name) => reader.ask(`select * from ${name}`)));
  return JSON.stringify(rows).toLowerCase();
}

describe('erase beside a running product', () => {
  let sandbox: TestSandbox;
  let home: Home;
  const open = new AsyncDisposableStack();
  beforeAll(async () => {
    sandbox = open.use(await openTestSandbox({ contacts: 12, bookings: 8, rateLimits: false }));
    const port = String(await freePort());
    home = open.use(
      await openHome({
        PORT: port,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        API_BASE_URL: sandbox.handles.base_url,
        API_TOKEN: sandbox.handles.tokens.owner,
        RECONCILE_EVERY: '24h',
      }),
    );
    await home.open('start');
    for (const verb of ['bootstrap', 'backfill']) {
      const { code, err } = await home.run([verb]);
      if (code !== 0) throw new Error(`\`${verb}\` ended with ${code}:\n${err}`);
    }
  });
  afterAll(() => open.disposeAsync());

  it('erases an invitee permanently: no backfill, repair, replay, rebuild or delivery restores them or reports drift', async () => {
    const [row] = await ask(home.store, `select uri, email, name from invitees where status = 'active' order by uri`);
    const { uri, email, name } = row as { uri: string; email: string; name: string };
    expect((await everything(home)).includes(email.toLowerCase())).toBe(true);

    const looked = await home.run(['erase', email, '--dry-run']);
    expect([looked.code, looked.out]).toEqual([0, expect.stringContaining('Nothing was erased')]);
    expect((await everything(home)).includes(email.toLowerCase())).toBe(true);

    const { code, out, err } = await home.run(['erase', email.toUpperCase(), '--json']);
    expect([code, err]).toEqual([0, '']);
    const receipt = JSON.parse(out);
    expect(receipt).toMatchObject({ dry_run: false, removed: { rows: { invitees: expect.any(Number) } } });
    expect(receipt.subjects).toContainEqual({ uri, table: 'invitees' });
    expect(receipt.seqs.length).toBeGreaterThan(1);
    const isGone = async () => !(await everything(home)).includes(email.toLowerCase());
    expect(await isGone()).toBe(true);

    expect((await home.run(['reconcile'])).code).toBe(0);
    for (const verb of [['backfill', '--restart'], ['reconcile', '--repair'], ['replay', '--all'], ['rebuild']]) {
      const ran = await home.run(verb);
      expect([verb, ran.code]).toEqual([verb, 0]);
      expect([verb, await isGone()]).toEqual([verb, true]);
    }
    expect((await home.run(['rebuild'])).out).toContain('no row differed');

    await sandbox.control('POST', '/invitees/cancel', { uri, reason: `I, ${name}, cannot come` });
    await sandbox.dispatcher.settled();
    await until(
      async () =>
        (await ask(home.store, `select status from invitees where uri = '${uri}'`))[0]?.['status'] === 'canceled',
      'the cancel is mirrored',
    );
    expect(await isGone()).toBe(true);
    expect((await everything(home)).includes('cannot come')).toBe(false);
    expect(home.output().toLowerCase().includes(email.toLowerCase())).toBe(false);
  });

  it('turns a contact into a tombstone by its URI, and prints a receipt', async () => {
    const [row] = await ask(home.store, 'select uri from contacts where deleted_at is null order by uri');
    const uri = String(row?.['uri']);
    const { code, out } = await home.run(['erase', uri]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Erased at \d{4}-/);
    expect(out).toMatch(/^contacts +1$/m);
    expect(out).toContain(`contacts ${uri}`);
    expect(out).toMatch(/^Not reached: .*backups.*: docs\/erasure\.md#what-it-does-not-reach\n$/m);
    expect((await home.run(['reconcile'])).code).toBe(0);
    const [now] = await ask(home.store, `select name, emails, deleted_source from contacts where uri = '${uri}'`);
    expect(now).toEqual({ name: null, emails: null, deleted_source: 'operator' });
  });

  it('records an unknown person too, and rejects what is neither an address nor a URI', async () => {
    const { code, out } = await home.run(['erase', 'unknown@example.test']);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('There was nothing to remove. The erasure is recorded in the log: '),
    ]);
    // Who mistyped an address must not take it for done (A30).
    expect(out).toMatch(/^Nothing was found, so nothing was erased\.\n[^]*If you mistyped it, run this again/);
    expect(out).not.toContain('Erased at');
    const uri = `${sandbox.handles.base_url}/contacts/unknown`;
    expect((await home.run(['erase', uri])).out).toContain('No record here has this URI. The erasure is recorded');
    expect((await home.run(['erase', uri])).out).toContain('It was already erased.');
    const why = await home.run(['why', uri]);
    expect([why.code, why.out]).toEqual([0, expect.stringContaining('(what it removed is not stored anywhere)')]);
    expect(why.out).not.toContain('RETENTION_DAYS');
    const wrong = await home.run(['erase', 'unknown']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('the URI of a record or an e-mail address')]);
    const [event] = await ask(home.store, 'select uri from scheduled_events order by uri');
    const refused = await home.run(['erase', String(event?.['uri'])]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('scheduled_events')]);
  });
});

describe('the embedded queue of a product that is stopped', () => {
  it('may be deleted once it is empty: nothing is lost, and it is created again', async () => {
    await using home = await openHome();
    const send = async (webhook: string, ids: readonly string[]) => {
      const sender = openSender({ url: webhook, key: home.signingKey });
      await sender.send(ids.map((id) => contactDelivery({ id, version: 1 })));
      sender.close();
      const isThere = async () => {
        const rows = await ask(home.store, 'select uri from contacts');
        return ids.every((id) => rows.some(({ uri }) => uri === contactUri(id)));
      };
      await until(isThere, 'all are mirrored');
    };
    const first = await home.open('start');
    await send(first.webhook, ['a', 'b']);
    const guide = await readFile(new URL('../../../../docs/erasure.md', import.meta.url), 'utf8');
    const empty = /wait until `.+ status` shows `([^`]+)`/.exec(guide)?.[1] ?? 'missing in docs/erasure.md';
    await eventually(async () => (await home.run(['status'])).out).toContain(`embedded: ${empty}\n`);
    expect(await first.term()).toBe(0);
    expect(existsSync(join(home.dataDir, 'queue'))).toBe(true);
    await rm(join(home.dataDir, 'queue'), { recursive: true });

    const second = await home.open('start');
    await send(second.webhook, ['c']);
    expect(await ask(home.store, 'select uri from contacts')).toHaveLength(3);
  });
});

describe.runIf(inject('redisUrl'))('erase beside receivers that keep what was processed', () => {
  it('says for how long, and nothing about the person is kept afterwards (S4)', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url, DISK_LOG_KEEP: '3s' });
    const { webhook } = await home.open('start');
    const sender = openSender({ url: webhook, key: home.signingKey, lanes: 1 });
    const email = 'kept@example.test';
    await sender.send([contactDelivery({ id: 'kept', version: 1, more: { emails: [{ email, is_primary: true }] } })]);
    sender.close();
    const isKept = () => bodiesOnDisk(join(home.dataDir, 'disk-log')).some((body) => body.includes(email));
    await until(() => isKept() && keptFiles(home).length > 0, 'the processed delivery is kept');
    await until(async () => (await everything(home)).includes(email), 'the person is in the tables');
    const erased = await home.run(['erase', email]);
    expect(erased.out).toContain('also about this person, for DISK_LOG_KEEP (3 s) and then delete them.');
    expect(await everything(home)).not.toContain(email);
    await until(() => keptFiles(home).length === 0, 'DISK_LOG_KEEP is over');
    expect(isKept()).toBe(false);
  });
});

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    : [];
const keptFiles = ({ dataDir }: Home) => filesIn(join(dataDir, 'disk-log')).filter((name) => name.endsWith('.kept'));

/** The bodies of every delivery in the segments of a disk log, kept ones too. */
function bodiesOnDisk(folder: string): readonly string[] {
  const files = filesIn(folder).filter((name) => /\.(segment|kept)$/.test(name));
  return files.flatMap((path) => {
    const records = existsSync(path) ? readSegment(readFileSync(path)).records : [];
    return records.flatMap(({ content }) => {
      const { deliveries } = unpackBatch(JSON.parse(content.toString('utf8'))) as DeliveryBatch;
      return deliveries.map(({ body }) => body);
    });
  });
}
