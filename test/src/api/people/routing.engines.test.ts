// The range of the routing funnel. What the funnel counts is in the test of all numbers.
import { expect, it } from 'vitest';
import { readRoutingFunnel } from '#src/read/people/routing.ts';
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
