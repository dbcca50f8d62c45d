// What a process that only reads answers in whole: the same as the process that was asked would, byte for byte.
import { expect, it } from 'vitest';
import { uri } from '../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../harness/data/read-world.ts';
import { bearer } from '../../harness/mirror/api-app.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { readersOf } from '../../harness/reading.ts';
import { freshSqlite } from '../../harness/stores.ts';

const organization = encodeURIComponent(uri('organizations', 'one'));

const questions: readonly (readonly [path: string, accept?: string])[] = [
  ['/api/tables'],
  ['/api/tables/bookings?limit=3&order=start_time.desc'],
  ['/api/tables/bookings?select=outcome,count()&order=count.desc,outcome'],
  ['/api/tables/bookings?limit=3&order=start_time.desc', 'text/csv'],
  ['/api/tables/bookings?limit=3&order=start_time.desc', 'application/x-ndjson'],
  ['/api/tables/bookings?outcom=eq.no_show'],
  ['/api/tables/booking'],
  ['/api/tables/invitees/lost'],
  ['/api/tables/contacts?page_token=forged'],
  [`/api/scheduled_events?organization=${organization}&count=2`],
  ['/api/scheduled_events?count=2'],
  ['/api/scheduled_events?count=1000'],
  ['/api/users/me'],
  ['/api/routing_forms/lost'],
];

/** A position in a list is signed with the time. */
const withoutTokens = (text: string): string => text.replaceAll(/page_token(?:=|":")[\w-]+/g, 'page_token');

it('answers tables and operations of the service as the process itself does, in every form and with every error', async () => {
  await using mirror = await freshSqlite();
  await fillReadWorld(mirror.store);
  const open = async () => ({ ...mirror, [Symbol.asyncDispose]: async () => {} });
  await using within = await openReadApi(open);
  await using apart = await openReadApi(open, { readsApart: {} });
  const answersOf = async (api: typeof within) => {
    const answers: unknown[] = [];
    for (const [path, accept] of questions) {
      const headers = { ...bearer, ...(accept !== undefined && { accept }) };
      const { status, headers: sent, body } = await api.admin.ask(path, { headers });
      const text = await new Response(body).text();
      const isLinked = sent.has('link');
      answers.push([path, status, sent.get('content-type'), sent.get('cache-control'), isLinked, withoutTokens(text)]);
    }
    return answers;
  };
  expect(await answersOf(apart)).toEqual(await answersOf(within));
  expect(await readersOf(mirror.url)).toHaveLength(1);
  expect(apart.heard.reported).toEqual([]);
});

it('follows the links of its pages to the end, by either of two processes', async () => {
  await using mirror = await freshSqlite();
  await fillReadWorld(mirror.store);
  const open = async () => ({ ...mirror, [Symbol.asyncDispose]: async () => {} });
  await using within = await openReadApi(open);
  await using apart = await openReadApi(open, { readsApart: {} });
  const seen: unknown[] = [];
  let path: string | null = '/api/tables/invitees?select=uri&order=created_at.asc&limit=4';
  for (let page = 0; path !== null; page += 1) {
    const { body } = await (page % 2 === 0 ? apart : within).get(path);
    seen.push(...body.collection.map((row: { uri: string }) => row.uri));
    const next: string | null = body.pagination.next_page;
    path = next && new URL(next).pathname + new URL(next).search;
  }
  const whole = (await within.get('/api/tables/invitees?select=uri&limit=1000')).body.collection;
  expect(seen.toSorted()).toEqual(whole.map((row: { uri: string }) => row.uri).toSorted());
  expect(new Set(seen).size).toBe(seen.length);
});
