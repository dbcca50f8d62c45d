// Every page that shows records, as a person reads it: text, links and forms in golden files, on every store. That nothing in them runs, whatever
// strangers wrote, is every-page.engines.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uri } from '../../../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../../../harness/data/read-world.ts';
import { expectGolden, readPages } from '../../../../harness/golden.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { storeEngines } from '../../../../harness/stores.ts';

const range = 'from=2025-01-01&to=2025-01-31';
const cases: Readonly<Record<string, readonly string[]>> = {
  bookings: [
    '/bookings',
    '/bookings?outcome=no_show',
    '/bookings?q=guest+c&status=canceled&host=',
    '/bookings?attendance=unconfirmed&count=2',
    '/bookings?unconfirmed=true',
    '/bookings?q=none',
    '/bookings?outcome=lost',
    '/bookings?min_start_time=2025-01-08&order=start_time.asc&count=3',
    '/bookings?max_start_time=2025-01-04&timezone=America/New_York&count=1',
    '/bookings?max_start_time=2025-01-05T04:59:59.999Z&timezone=America/New_York&count=1',
  ],
  booking: ['A1', 'A2', 'B3', 'D1', 'F1', 'G1', 'H1', 'I1', 'L1', 'none'].map((id) => `/bookings/${id}`),
  'no-shows': ['/no-shows', '/no-shows?q=guest+b', '/no-shows?state=undone', '/no-shows?q=none'],
  contacts: [
    '/contacts',
    '/contacts?company=acme&country=&email=&city=',
    '/contacts?email=ada@example.test&show=size',
    '/contacts?name=zzz',
    '/contacts?order=name.asc&limit=3',
    '/contacts?order=nothing',
    '/contacts?sort=name',
    '/contacts?show=all&limit=1',
  ],
  contact: ['/contacts/a', '/contacts/ada', '/contacts/ben', '/contacts/none', '/contacts/custom_field_definitions'],
  deliveries: [
    '/deliveries?count=4',
    '/deliveries?event=contact.m*&q=MERGED&min_received_at=2025-04-14&source=',
    '/deliveries?min_received_at=2025-04-14T08:00&timezone=America/New_York&count=1',
    '/deliveries?outcome=unprojected',
    '/deliveries?q=zzz',
    '/deliveries?max_received_at=2025-04-13',
    '/deliveries?address=LOVELACE@Example.test&count=2',
    '/deliveries?min_received_at=2025-04-14T08:01&timezone=America/New_York',
    '/deliveries?source=any&count=2',
    '/deliveries?source=backfill&count=2',
  ],
  delivery: ['/deliveries/46', '/deliveries/60?body=as-sent', '/deliveries/999'],
  why: ['/why', `/why?uri=${encodeURIComponent(uri('contacts', 'ada'))}`, '/why?uri=https://nothing.test/1'],
  people: [
    '/people',
    '/people?contact=false',
    '/people?email=LOVELACE@example.test',
    '/people?email=cyd@example.test',
    '/people?email=cyd@example.test&contact=true',
    '/people?email=none@example.test',
    '/people?name=ADA2',
    '/people?name=booker&contact=false',
    '/people?name=r%25b&contact=false',
    '/people?contact=maybe',
    '/people?page_token=forged',
  ],
  recaps: [
    '/recaps',
    `/recaps?text=ünder&host=${uri('users', 'ada')}&attendee=&from=2025-01-01&to=2025-01-02`,
    '/recaps?text=nothing',
    `/recaps?host=${uri('users', 'ben')}&order=event_name.asc`,
    '/recaps?attendee=GUEST@example.test',
    '/recaps?text=back&limit=1',
    '/recaps?from=soon&order=summary',
    `/tables/meeting_recaps/${encodeURIComponent(uri('meeting_recaps', 'one'))}`,
    '/recaps/none',
  ],
  routing: [
    `/routing?${range}`,
    `/routing?${range}&booked=false&result_type=event_type`,
    `/routing?${range}&booked=true&count=1`,
    `/routing?${range}&utm_source=none`,
    '/routing?from=2020-01-01&to=2020-01-31',
    '/routing?booked=maybe',
    '/routing?utm_source=mail&from=2025-01-01&order=outcome.asc',
    `/routing?${range}&booked=false&result_type=event_type&order=name.desc`,
    '/routing?from=soon',
    '/routing?from=2025-01-01&to=2025-04-14&timezone=Nowhere',
  ],
  submission: [
    `/tables/routing_form_submissions/${encodeURIComponent(uri('routing_form_submissions', 'lead'))}`,
    `/tables/routing_form_submissions/${encodeURIComponent(uri('routing_form_submissions', 'site'))}`,
    '/routing/none',
  ],
  search: [
    '/search?q=ADA2',
    '/search?q=ada@example.test',
    '/search?q=lovelace',
    '/search?q=example',
    '/search',
    '/nothing',
  ],
};

/** PostgreSQL orders the names in JSON values itself, and so the lines about them. */
const comparable = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => (line.startsWith('{ "') ? line.split(/[ ,]+/).toSorted().join(' ') : line))
    .toSorted();

describe.each(storeEngines)('the pages on $name', ({ name: engine, available, fresh }) => {
  let dashboard: Awaited<ReturnType<typeof openDashboard>>;
  beforeAll(async () => {
    if (!available) return;
    dashboard = await openDashboard(fresh, { clock: () => Date.parse('2025-02-01T12:00:00Z') });
    await fillReadWorld(dashboard.store);
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  it.runIf(available).each(Object.entries(cases))('read as golden/%s.txt', async (name, addresses) => {
    const text = await readPages(dashboard, addresses);
    if (engine === 'sqlite') return expectGolden(text, `golden/${name}.txt`);
    const golden = readFileSync(join(import.meta.dirname, `golden/${name}.txt`), 'utf8');
    expect(comparable(text)).toEqual(comparable(golden));
  });
});
