// The range of the routing funnel, and a search that finds little. What the funnel counts, and how submissions are listed, is in the golden
// files of the API, on both stores.
import { expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { writeRows } from '#src/store/rows.ts';
import { ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { freshMemory } from '../../../harness/stores.ts';

it('the funnel counts the range that is asked for, thirty days by default', async () => {
  await using api = await openReadApi(freshMemory);
  await ingestCountedBookings(api.store);
  const submissions = async (query: string) => (await api.get(`/api/routing?${query}`)).body.total.submissions;
  expect(await submissions('')).toBe(0);
  expect(await submissions('to=2025-01-31')).toBe(0);
  expect(await submissions('to=2025-01-30')).toBe(5);
  expect(await submissions('from=2025-01-02&to=2025-02-01')).toBe(0);
  expect(await submissions(`from=2025-01-01&to=2025-01-31&routing_form=${uri('forms', 'help')}`)).toBe(1);
});

it('a rare submission far back is found page by page, each with limited work', async () => {
  await using api = await openReadApi(freshMemory);
  const rows = Array.from({ length: 5_003 }, (_, n) => ({
    uri: uri('routing_form_submissions', String(n)),
    created_at: instantOf(Date.parse('2025-01-01') + n * 1_000),
    utm_source: n === 0 ? 'rare' : 'usual',
  }));
  await api.store.transaction((unit) => writeRows(unit, 'routing_form_submissions', rows));
  const { body: first } = await api.get('/api/routing/submissions?utm_source=rare');
  expect(first.collection).toEqual([]);
  const { body: second } = await api.get(`/api/routing/submissions?page_token=${first.pagination.next_page_token}`);
  expect(second).toMatchObject({ collection: [{ uri: rows[0]?.uri }], pagination: { next_page_token: null } });
});
