// The verbs as a person types them, beside a product that runs.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventKinds } from '#schemas/events.ts';
import { ask } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type RunningProduct } from '../../harness/product.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { contactDelivery, contactUri } from '../../harness/data/contact-deliveries.ts';
import { openedOnce } from '../../harness/opened.ts';

const kinds = Object.keys(eventKinds);

const home = openedOnce(() => openHome());
let product: RunningProduct;
beforeAll(async () => {
  product = await home.open('start');
});
// Each test has its own.
beforeEach(() => rowsOf(`delete from ${notProjected}`));

const notProjected = `event_log where outcome in ('quarantined', 'unhandled')`;
const rowsOf = (sql: string) => ask(home.store, sql);
const countOf = async (from: string): Promise<number> =>
  Number((await rowsOf(`select count(*) as n from ${from}`))[0]?.['n']);

async function deliver(...bodies: readonly string[]): Promise<void> {
  const before = await countOf('event_log');
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  await sender.send(bodies);
  sender.close();
  await until(async () => (await countOf('event_log')) === before + bodies.length, 'the deliveries are in the log');
}

/** A delivery that was quarantined by an earlier version, say, although it can be read. */
async function quarantine(id: string): Promise<void> {
  const body = contactDelivery({ id, version: 3 });
  await rowsOf(`insert into event_log (delivery_id, source, received_at, outcome, reason, duplicates, body, tie, redacted)
    values ('forged-${id}', 'webhook', '2025-04-14T11:42:33.000000Z', 'quarantined', 'An old bug.', 0, '${body}', '0123456789abcdef', 0)`);
}

describe('trigger', () => {
  it('sends every kind, and rows appear', async () => {
    const before = await countOf('event_log');
    const runs = await Promise.all(kinds.map((kind) => home.run(['trigger', kind, '--seed', '7'])));
    expect(runs.map(({ code, out }) => [code, out])).toEqual(
      kinds.map((kind) => [0, expect.stringMatching(new RegExp(`^202 ${kind}: .+\n$`))]),
    );
    const named = await home.run(['trigger', 'invitee.created', '--seed', '7', '--set', 'name=Ada\u001b[2J']);
    expect(named.out).toMatch(/^202 invitee\.created: Ada\\u001b\[2J booked \w.+\n$/);
    await until(async () => (await countOf('event_log')) === before + kinds.length + 1, 'all are in the log');
    expect(await countOf(notProjected)).toBe(0);
    for (const table of ['invitees', 'contacts', 'event_types', 'meeting_recaps', 'no_shows'])
      expect([table, await countOf(table)]).not.toEqual([table, 0]);
  });

  it('prints a curl command that delivers when it is pasted into a shell', async () => {
    const name = `O'Brien é "$(exit 1)" \\ \`x\``;
    const options = ['--seed', '8', '--set', `name=${name}`, '--print', 'curl'];
    const { code, out } = await home.run(['trigger', 'contact.created', ...options]);
    expect(code).toBe(0);
    const { stdout } = await promisify(execFile)('sh', ['-c', out]).catch((error: unknown) => {
      throw new Error('curl could not be run; this test needs it (apt-get install curl)', { cause: error });
    });
    expect(JSON.parse(stdout)).toHaveProperty('title', 'Accepted');
    await until(
      async () => (await rowsOf('select name from contacts')).some((row) => row['name'] === name),
      'the contact is there',
    );
  });

  it('warns before it sends made-up data to the mirror of a real service', async () => {
    const before = await countOf('event_log');
    const warning = 'made-up data: its people, bookings and payments\n  will stay in your tables and views.';
    const real = { API_BASE_URL: 'https://api.service.example', API_TOKEN: 'a-token' };
    const sent = await home.run(['trigger', 'contact.created'], real);
    expect([sent.code, sent.out, sent.err]).toEqual([
      0,
      expect.stringMatching(/^202 contact\.created: .+ is a new contact\n$/),
      expect.stringContaining(warning),
    ]);
    const printed = await home.run(['trigger', 'contact.created', '--print', 'curl'], real);
    const tried = await home.run(['trigger', 'contact.created'], { ...real, API_BASE_URL: 'http://[::1]:1' });
    expect([printed.err, tried.code, tried.err]).toEqual(['', 0, '']);
    await until(async () => (await countOf('event_log')) === before + 2, 'all are in the log');
  });

  it('takes another key from a file, never from the command line, which others can see', async () => {
    const file = join(home.dataDir, 'another-key');
    await writeFile(file, `\n${home.signingKey}\nan older key\n`);
    const configured = { SIGNING_KEYS: 'another key of the sender with 32 b' };
    const send = (...more: readonly string[]) => home.run(['trigger', 'contact.created', ...more], configured);
    expect((await send('--key-file', file)).code).toBe(0);
    const refused = await send();
    expect([refused.code, refused.out]).toEqual([1, '401 contact.created\n']);
    expect(await send('--key-file', join(home.dataDir, 'none'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('none cannot be read (ENOENT)'),
    });
    await writeFile(file, ' \n');
    expect(await send('--key-file', file)).toMatchObject({ code: 2, err: expect.stringContaining('holds no key') });
    const old = await send('--key', home.signingKey);
    expect([old.code, old.err]).toEqual([2, expect.stringContaining("unknown option '--key'")]);
    expect(old.err).not.toContain(home.signingKey);
  });

  it('says what to do when no receiver answers', async () => {
    const { code, err } = await home.run(['trigger', 'contact.created', '--url', 'http://127.0.0.1:1/webhooks']);
    expect(code).toBe(1);
    expect(err).toBe(
      '✗ No receiver answers at http://127.0.0.1:1.\n→ Start one with: ./bin/slotstream start. Or name another with --url.\n',
    );
  });
});

describe('replay', () => {
  it('requires a choice of entries', async () => {
    const withoutAll = [[], ['--dismiss'], ['--quarantined', '--dismiss', '1']];
    for (const options of [...withoutAll, ['--all', '--quarantined'], ['--all', '--event', 'contact.*']]) {
      const { code, err } = await home.run(['replay', ...options]);
      expect([code, err]).toEqual([2, expect.stringContaining('either --all, or --quarantined, --uri URI')]);
    }
  });

  it('does not change entries that still cannot be projected', async () => {
    await deliver(
      JSON.stringify({
        event: 'contact.merged',
        created_at: '2025-04-14T11:42:33Z',
        payload: { uri: contactUri('m') },
      }),
    );
    const { code, out } = await home.run(['replay', '--quarantined', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ read: 1, changed: 0, stillKept: 1 });
    for (const [read, ...options] of [
      [1, '--event', 'contact.m*', '--outcome', 'unhandled', '--text', contactUri('m')],
      [0, '--event', 'contact.merged', '--max-seq', '1'],
      [0, '--quarantined', '--reason', 'another', '--max-received-at', '2024-01-01'],
    ])
      expect(JSON.parse((await home.run(['replay', '--json', ...options.map(String)])).out)).toMatchObject({ read });
    const text = await home.run(['replay', '--quarantined', '--dry-run']);
    expect(text.out).toMatch(/1 still cannot be applied\.\n {2}1 × .+ \(newest: #\d+\)\n$/);
    expect(await rowsOf(`select outcome from event_log where event = 'contact.merged'`)).toEqual([
      { outcome: 'unhandled' },
    ]);
  });

  it('dismisses entries that nothing will ever apply: by id, or all that match', async () => {
    await deliver('no JSON', 'no JSON either', '[1]', '[2]');
    const waiting = async () => {
      const { out } = await home.run(['replay', '--quarantined', '--json']);
      return JSON.parse(out).stillKept as number;
    };
    const before = await waiting();
    const [first, second] = await rowsOf(`select seq, delivery_id from event_log where reason = 'not JSON'`);
    const wrong = await home.run(['replay', '--dismiss', String(first?.['seq']), '999999']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('There is no delivery 999999.')]);
    expect((await home.run(['replay', '--quarantined', '--dismiss', '--dry-run'])).code).toBe(2);
    expect(await waiting()).toBe(before);
    const named = await home.run(['replay', '--dismiss', String(first?.['seq']), String(second?.['delivery_id'])]);
    expect(named.out).toContain('2 deliveries dismissed.');
    const matching = await home.run(['replay', '--dismiss', '--text', '[1]', '--json']);
    expect(JSON.parse(matching.out)).toEqual({ dismissed: 1 });
    expect(await waiting()).toBe(before - 3);
    expect((await home.run(['replay', '--quarantined', '--dismiss'])).code).toBe(0);
    expect(await waiting()).toBe(0);
    expect((await home.run(['doctor'])).out).not.toContain('could not be applied');
  });

  it('shows the rows that would change, and changes them only without --dry-run', async () => {
    await quarantine('freed');
    const before = await rowsOf('select * from event_log');
    const dry = await home.run(['replay', '--quarantined', '--dry-run']);
    expect(dry.out).toContain(`contact.updated ${contactUri('freed')}: quarantined → applied`);
    expect(dry.out).toContain('contacts.name: none → "Name freed 3"');
    expect(await rowsOf('select * from event_log')).toEqual(before);
    expect(await countOf(`contacts where uri = '${contactUri('freed')}'`)).toBe(0);

    const last = Math.max(...before.map((row) => Number(row['seq'])));
    expect((await home.run(['replay', '--quarantined'])).code).toBe(0);
    expect(await rowsOf(`select name from contacts where uri = '${contactUri('freed')}'`)).toEqual([
      { name: 'Name freed 3' },
    ]);
    expect(await rowsOf(`select seq, outcome, reason from event_log where delivery_id = 'forged-freed'`)).toEqual([
      { seq: last + 1, outcome: 'applied', reason: null },
    ]);
  });
});

describe('rebuild', () => {
  it('corrects rows that were tampered with and reports how many', async () => {
    await deliver(...['kept', 'changed', 'lost'].map((id) => contactDelivery({ id, version: 1 })));
    // Other tests have tampered with rows as well.
    await home.run(['rebuild']);
    await rowsOf(`update contacts set name = 'Mallory', company = 'Evil' where uri = '${contactUri('changed')}'`);
    await rowsOf(`delete from contacts where uri = '${contactUri('lost')}'`);
    await rowsOf(`insert into contacts (uri, name) values ('${contactUri('extra')}', 'Unknown')`);
    const { code, out } = await home.run(['rebuild', '--json']);
    expect(code).toBe(0);
    const { rowsDiffered, tables } = JSON.parse(out) as { rowsDiffered: number; tables: Record<string, unknown> };
    expect({ rowsDiffered, contacts: tables['contacts'] }).toEqual({
      rowsDiffered: 3,
      contacts: { missing: 1, extra: 1, different: 1 },
    });
    const mended = await rowsOf(
      `select name from contacts where uri in (${['changed', 'lost', 'extra'].map((id) => `'${contactUri(id)}'`).join()}) order by name`,
    );
    expect(mended).toEqual([{ name: 'Name changed 1' }, { name: 'Name lost 1' }]);
    expect((await home.run(['rebuild'])).out).toContain('no row differed.');
  });
});

describe('why', () => {
  it('shows which item of a list changed, with the label of an option', async () => {
    const uri = 'https://api.example.test/contact_custom_fields/tier';
    await rowsOf(
      `insert into custom_field_definitions (uri, label, options) values ('${uri}', 'Tier', '[{"uuid":"o1","label":"Gold"}]')`,
    );
    for (const [version, value] of [null, 'o1'].entries())
      await deliver(
        contactDelivery({ id: 'w-item', version, more: { custom_fields: [{ uri, label: 'Tier', value }] } }),
      );
    const { out } = await home.run(['why', contactUri('w-item')]);
    expect(out).toContain('  contacts.custom_fields, Tier: none → "Gold"\n');
  });

  it('lists every delivery about a row and its changes, and where each value came from', async () => {
    for (const version of [1, 0, 2]) await deliver(contactDelivery({ id: 'w-from', version }));
    const { out } = await home.run(['why', contactUri('w-from')]);
    expect(out).toMatch(/applied\n {2}new in contacts\n.*superseded\n.*applied\n/);
    const [place] = /#\d+(?= contact\.updated .*applied\n.*contacts\.name: "Name w-from 1" →)/.exec(out) ?? [];
    expect(out).toMatch(/^column +value +since +last reported by$/m);
    expect(out).toMatch(new RegExp(`^name +"Name w-from 2" +${place} contact\\.updated  2`, 'm'));
    const { out: json } = await home.run(['why', contactUri('w-from'), '--json']);
    expect(JSON.parse(json)).toMatchObject({
      table: 'contacts',
      deliveries: [{ outcome: 'applied' }, { outcome: 'superseded' }, { outcome: 'applied' }],
      fields: expect.arrayContaining([
        expect.objectContaining({ column: 'name', value: 'Name w-from 2', seq: Number(place?.slice(1)) }),
      ]),
    });
  });

  it('takes an address: explains the row that has it, or lists the rows', async () => {
    const emails = [{ email: 'why@example.test', is_primary: true }];
    await deliver(contactDelivery({ id: 'w-one', version: 1, more: { emails } }));
    expect((await home.run(['why', 'Why@Example.test'])).out).toBe((await home.run(['why', contactUri('w-one')])).out);
    await deliver(contactDelivery({ id: 'w-two', version: 1, more: { emails } }));
    const { code, out } = await home.run(['why', 'why@example.test']);
    const rows = ['w-one', 'w-two'].map((id) => `contacts  ${contactUri(id)}`);
    expect([code, out.split('\n').toSorted()]).toEqual([
      0,
      ['', '2 rows have this address. Ask about one of them by its URI:', ...rows],
    ]);
    const { out: json } = await home.run(['why', 'why@example.test', '--json']);
    expect(JSON.parse(json).records).toContainEqual({ uri: contactUri('w-two'), table: 'contacts' });
    const unknown = await home.run(['why', 'unknown@example.test']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('No contact, booking or user has')]);
    expect((await home.run(['why', contactUri('unknown')])).err).toContain('✗ The log has no entry about this URI.');
  });
});

describe('doctor', () => {
  it('reports quarantined deliveries and names the command that fixes it', async () => {
    for (const id of ['ill', 'worse']) await quarantine(id);
    const { code, out } = await home.run(['doctor']);
    expect(code).toBe(3);
    expect(out).toContain('✓ processes: Running: start on ');
    expect(out).toMatch(
      /✗ quarantine: \d+ deliveries could not be applied.*\.\n {2}→ \.\/bin\/slotstream replay --quarantined --dry-run/,
    );
  });
});
