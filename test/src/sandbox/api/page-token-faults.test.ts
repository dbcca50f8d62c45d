// Page tokens that die: after a number of calls of other paths, and never by calls of their own list.
import { expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 6, bookings: 3, rateLimits: false });
const page = (token?: string) =>
  sandbox.call('GET', '/contacts', { query: { count: 2, ...(token !== undefined && { page_token: token }) } });
const nextOf = async (token?: string) => (await page(token)).body.pagination.next_page_token as string;

it('a page token is refused after a number of calls of other paths, and not before (W1)', async () => {
  const before = await nextOf();
  await sandbox.control('POST', '/faults', { page_token_calls: 2 });
  const token = await nextOf();
  await sandbox.call('GET', '/users/me');
  for (let turn = 0; turn < 3; turn += 1) expect((await page(token)).status).toBe(200);
  const later = await nextOf(token);
  await sandbox.call('GET', '/users/me');
  expect(await page(token)).toMatchObject({
    status: 400,
    body: { details: [{ parameter: 'page_token', message: 'is invalid' }] },
  });
  expect((await page(later)).status).toBe(200);
  expect((await page(await nextOf())).status).toBe(200);
  // Issued without the fault.
  expect((await page(before)).status).toBe(200);
  await sandbox.control('POST', '/faults', {});
  expect((await page(token)).status).toBe(200);
});

it('with 0 calls no list has a second page (W1)', async () => {
  await sandbox.control('POST', '/faults', { page_token_calls: 0 });
  expect((await page(await nextOf())).status).toBe(400);
});
