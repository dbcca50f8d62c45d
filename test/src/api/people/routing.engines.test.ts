// The range of the routing funnel, and a search that finds little. What the funnel counts is in the test of all numbers, and how submissions
// are listed in the golden files, on both stores.
import { expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { readRoutingFunnel } from '#src/read/people/routing.ts';
import { writeRows } from '#src/store/rows.ts';
import { ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { freshMemory } from '../../../harness/stores.ts';

it('the funnel counts the range that is asked for, thirty days by default', async () => {
  await using api = await openReadApi(freshMemory);
  await ingestCountedBookings(api.store);
  const submissions = async (search: Parameters<typeof readRoutingFunnel>[1]) =>
    (await readRoutingFunnel(api.context.reading, search, Date.parse('2025-06-01'))).total.submissions;
  const [first, second, end, last] = ['01-01', '01-02', '01-31', '02-01'].map((day) => `2025-${day}T00:00:00.000000Z`);
  expect(await submissions({})).toBe(0);
  expect(await submissions({ to: last })).toBe(0);
  expect(await submissions({ to: end })).toBe(5);
  expect(await submissions({ from: second, to: last })).toBe(0);
  expect(await submissions({ from: first, to: last, routing_form: uri('forms', 'help') })).toBe(1);
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
