// Who keeps the word index of contacts up to date, and who hears of it when that fails.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { freshSqlite, ingestBodies } from '../../harness/stores.ts';

const at = '2025-04-14T11:30:00.000000Z';
const delivery = (n: number) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: at,
    payload: { uri: `https://api.example.test/contacts/${n}`, name: `Person ${n}`, created_at: at, updated_at: at },
  });

const countOf = async ({ store }: Awaited<ReturnType<typeof openReadApi>>, table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(store.db);
  return Number(rows[0]?.n);
};

describe('the read API', () => {
  it('indexes new rows in the background, without a search', async () => {
    await using api = await openReadApi(freshSqlite);
    await ingestBodies(api.store, [delivery(1), delivery(2)]);
    await expect.poll(() => countOf(api, 'contact_search_texts')).toBe(2);
    await ingestBodies(api.store, [delivery(3)]);
    await expect.poll(() => countOf(api, 'contact_search_texts')).toBe(3);
    expect([await countOf(api, 'contact_search_pending'), api.heard.reported]).toEqual([0, []]);
  });

  it('reports once, without names, that the index cannot be updated, and still answers', async () => {
    await using api = await openReadApi(freshSqlite);
    await sql`create trigger full_disk before insert on contact_search_texts begin select raise(abort, 'no room for Person 1'); end`.execute(
      api.store.db,
    );
    await ingestBodies(api.store, [delivery(1)]);
    await expect.poll(() => api.heard.reported.length).toBe(1);
    const [problem] = api.heard.reported as Error[];
    expect(problem).toMatchObject({ name: 'SlotstreamError', hint: expect.stringContaining('disk') });
    expect(problem?.message).not.toContain('Person');
    expect((await api.get('/api/contacts?name=person')).body.collection).toHaveLength(1);
    await sql`drop trigger full_disk`.execute(api.store.db);
    await expect.poll(() => countOf(api, 'contact_search_pending')).toBe(0);
    expect(api.heard.reported).toHaveLength(1);
  });
});
