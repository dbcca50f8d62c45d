// The job that keeps the search table of contacts up to date: it follows the log, reports when it cannot, and empties the table where
// the search is switched off.
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { clearContactSearchJob, contactSearchJob } from '#src/app/followers.ts';
import { readValue } from '#src/store/key-value.ts';
import { catchUpContactSearch, searchState, useContactSearch } from '#src/store/contact-search/contact-follower.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { freshSqlite, ingestBodies, rowsOf, storeEngines } from '../../harness/stores.ts';

const at = '2025-04-14T11:30:00.000000Z';
const delivery = (n: number) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: at,
    payload: { uri: `https://api.example.test/contacts/${n}`, name: `Person ${n}`, created_at: at, updated_at: at },
  });

type ReadApi = Awaited<ReturnType<typeof openReadApi>>;
const copies = async ({ store }: Pick<ReadApi, 'store'>) => (await rowsOf(store, 'contact_search')).length;

/** Runs the job until the end of the test. */
function running({ store, tail, heard }: ReadApi, disk = { hasRoom: true }): AsyncDisposable {
  const stopping = new AbortController();
  const report = (error: unknown) => void heard.reported.push(error);
  const job = contactSearchJob({ store, tail, report, hasRoom: async () => disk.hasRoom, pauseMs: 10 });
  const done = job.run(stopping.signal, () => true);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

const offsetOf = async (api: ReadApi) =>
  (await api.fetch('/api/contacts?name=person')).headers.get('slotstream-search-offset');

describe.each(storeEngines)('the contact search on $name', ({ available, fresh }) => {
  it.runIf(available)('copies nothing before the first search, then everything, then what changes', async () => {
    await using api = await openReadApi(fresh, { usesContactSearch: true });
    await using _job = running(api);
    await ingestBodies(api.store, [delivery(1), delivery(2)]);
    expect((await api.get('/api/contacts/1')).status).toBe(200);
    expect((await api.get('/api/feed')).status).toBe(200);
    expect([await copies(api), await readValue(api.store, searchState)]).toEqual([0, undefined]);
    expect((await api.get('/api/contacts?name=person')).body.collection).toHaveLength(2);
    await expect.poll(() => copies(api)).toBe(2);
    await ingestBodies(api.store, [delivery(3)]);
    await expect.poll(() => copies(api)).toBe(3);
    await expect.poll(() => offsetOf(api)).toBe('3');
    expect(api.heard.reported).toEqual([]);
  });

  it.runIf(available)('answers with its offset, and with the contacts of later entries', async () => {
    await using api = await openReadApi(fresh);
    await ingestBodies(api.store, [delivery(1)]);
    await useContactSearch(api.store);
    await catchUpContactSearch(api.store);
    await ingestBodies(api.store, [delivery(2)]);
    expect(await offsetOf(api)).toBe('1');
    expect((await api.get('/api/contacts?name=person')).body.collection).toHaveLength(2);
  });

  it.runIf(available)('is emptied where it is switched off; searches find the same', async () => {
    await using api = await openReadApi(fresh);
    await ingestBodies(api.store, [delivery(1), delivery(2)]);
    await useContactSearch(api.store);
    await catchUpContactSearch(api.store);
    const search = async () => (await api.get('/api/contacts?name=person')).body;
    const before = await search();
    await clearContactSearchJob(api).run(new AbortController().signal, () => true);
    expect([await copies(api), await offsetOf(api), await search()]).toEqual([0, null, before]);
  });
});

describe('the contact search', () => {
  it('waits while the disk of the store is almost full', async () => {
    await using api = await openReadApi(freshSqlite);
    const disk = { hasRoom: false };
    await ingestBodies(api.store, [delivery(1)]);
    await useContactSearch(api.store);
    await using _job = running(api, disk);
    await setTimeout(100);
    expect(await copies(api)).toBe(0);
    disk.hasRoom = true;
    await expect.poll(() => copies(api)).toBe(1);
  });

  it('reports once, without names, that it cannot be updated, and searches still work', async () => {
    await using api = await openReadApi(freshSqlite);
    await sql`create trigger full_disk before insert on contact_search begin select raise(abort, 'no room for Person 1'); end`.execute(
      api.store.db,
    );
    await useContactSearch(api.store);
    await ingestBodies(api.store, [delivery(1)]);
    await using _job = running(api);
    await expect.poll(() => api.heard.reported.length).toBe(1);
    const [problem] = api.heard.reported as Error[];
    expect(problem).toMatchObject({ name: 'SlotstreamError', hint: expect.stringContaining('disk') });
    expect(problem?.message).not.toContain('Person');
    expect((await api.get('/api/contacts?name=person')).body.collection).toHaveLength(1);
    await sql`drop trigger full_disk`.execute(api.store.db);
    await expect.poll(() => copies(api)).toBe(1);
    expect(api.heard.reported).toHaveLength(1);
  });
});
