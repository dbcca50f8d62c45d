// A PostgreSQL whose user may not create extensions: the mirror works and its searches are right without; `doctor` says what is
// missing, and what it says fixes it.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Report } from '#src/doctor/check.ts';
import { checkStore } from '#src/doctor/engines.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { findContacts, type ContactQuery } from '#src/read/contacts/contact-page.ts';
import { openStore } from '#src/store/open-store.ts';
import { writeRows } from '#src/store/rows.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const [, postgres] = storeEngines;
const role = `guest_${process.pid}`;

/** A role that owns the schema of the tables and nothing else. */
async function asGuest(url: string): Promise<{ readonly guestUrl: string; run(statement: string): Promise<void> }> {
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await run(`create role ${role} login`);
  await run(`create schema slotstream authorization ${role}`);
  const guest = new URL(url);
  guest.username = role;
  return { guestUrl: guest.href, run };
}

const contact = JSON.stringify({
  event: 'contact.created',
  created_at: '2025-04-14T11:30:00Z',
  payload: {
    uri: 'https://api.example.test/contacts/1',
    name: 'Ada Lovelace',
    created_at: '2025-04-14T11:30:00.000000Z',
    updated_at: '2025-04-14T11:30:00.000000Z',
  },
});

describe.runIf(postgres.available)('a PostgreSQL without pg_trgm', () => {
  it('is searched all the same, and doctor says what to do, which helps', async () => {
    await using blank = await postgres.blank();
    const { guestUrl, run } = await asGuest(blank.url);
    await using store = await openStore({ report: () => {} }, guestUrl);
    expect(await store.engine.contactSearch.missing(store.db)).not.toEqual([]);
    await ingestBodies(store, [contact]);
    const find = async (name: string) => {
      const page = { count: 5, descending: false, backwards: false };
      return (await findContacts(store, { search: { name: [name] }, order: 'created_at', page })).items.length;
    };
    expect([await find('LOVE'), await find('hate')]).toEqual([1, 0]);

    const config = loadConfig({ DATABASE_URL: guestUrl });
    const log = createLog({ level: 'silent', pretty: false });
    const patient = { config, log, now: () => new Date(), mirror: async () => store };
    const searchFinding = async () => {
      const report = new Report();
      await checkStore(patient, report);
      return report.findings.find(({ id }) => id === 'search');
    };
    const said = await searchFinding();
    expect(said).toMatchObject({ state: 'warning' });
    await run(String(said?.fix).replace(/^[^:]*: (.*); then .*$/, '$1'));
    // As a worker does when it starts.
    await store.engine.migrate();
    expect(await store.engine.contactSearch.missing(store.db)).toEqual([]);
    expect(await searchFinding()).toBeUndefined();
    expect([await find('LOVE'), await find('hate')]).toEqual([1, 0]);
  });
});

describe.runIf(postgres.available)('many texts and short ones, which are compared row by row', () => {
  it('are taken letter by letter, in any case', async () => {
    await using opened = await postgres.fresh();
    const { store } = opened;
    await ingestBodies(store, [contact.replace('Ada Lovelace', String.raw`Ada \\ L.o*v (é|e) [1] 100%_a`)]);
    const page = { count: 5, descending: false, backwards: false };
    const isFound = async (...name: string[]) =>
      (await findContacts(store, { search: { name }, order: 'created_at', page })).items.length === 1;
    const others = Array.from({ length: 300 }, (_, n) => `other ${n}`);
    for (const text of ['\\', 'L.', 'o*V', '(É|', '[1]', '%_', ' ', 'da'])
      expect([text, await isFound(...others, text), await isFound(text)]).toEqual([text, true, true]);
    for (const text of ['..', '.*', '^a', 'a$', 'é*', '[0', '_%'])
      expect([text, await isFound(...others, text), await isFound(text)]).toEqual([text, false, false]);
  });
});

describe.runIf(postgres.available)('texts that thousands of contacts have', () => {
  it('are found in order, page by page, and with a text that few of these have', async () => {
    await using opened = await postgres.fresh();
    const { store } = opened;
    const uriOf = (n: number) => `https://api.example.test/contacts/${String(n).padStart(4, '0')}`;
    const rows = Array.from({ length: 2_100 }, (_, n) => ({
      uri: uriOf(n),
      name: `Person ${n}`,
      city: n % 1_000 === 999 ? 'Graz' : 'Wien',
      created_at: '2025-04-14T11:30:00.000000Z',
    }));
    await store.transaction((unit) => writeRows(unit, 'contacts', rows));
    const find = async (search: ContactQuery['search'], from?: number) => {
      const page = { count: 3, descending: false, backwards: false };
      const position = from === undefined ? {} : { from: { key: '2025-04-14T11:30:00.000000Z', uri: uriOf(from) } };
      const { items, hasNext } = await findContacts(store, {
        search,
        order: 'created_at',
        page: { ...page, ...position },
      });
      return [...items.map(({ uri }) => uri), hasNext];
    };
    const of = (...numbers: readonly number[]) => numbers.map(uriOf);
    expect(await find({ name: ['person'] })).toEqual([...of(0, 1, 2), true]);
    expect(await find({ name: ['PERSON'] }, 2)).toEqual([...of(3, 4, 5), true]);
    expect(await find({ name: ['person'] }, 2_096)).toEqual([...of(2_097, 2_098, 2_099), false]);
    expect(await find({ name: ['person'], city: ['graz'] })).toEqual([...of(999, 1_999), false]);
    expect(await find({ name: ['no one'], city: ['wien'] })).toEqual([false]);
  });
});
