// What GET /api/contacts takes on a mirror of a million contacts in SQLite: searches of every kind, and a page deep inside against
// the first.
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { catchUpContactSearch, useContactSearch } from '#src/store/search/contact-follower.ts';
import { openStore } from '#src/store/open-store.ts';
import { openBulk } from './bulk.ts';
import { median, percentile, type Figure, type Measurement } from './measure.ts';
import { deepPage, openReadApi, pageRatio, type Ask } from './pages.ts';
import { temporaryFolder } from './processes.ts';

const contacts = 1_000_000;
const searches = 2_000;
const warmUp = 300;

export const contactsApi: Measurement = {
  name: 'contacts-api',
  about: `GET /api/contacts on ${contacts} mirrored contacts: ${searches} searches, and page ${deepPage} against page 1`,
  async run() {
    using folder = temporaryFolder();
    const path = join(folder.path, 'mirror.db');
    const some = await fill(path);
    await using store = await openStore({ report: () => {} }, `sqlite:${path}`);
    const startedAt = performance.now();
    // As many at once as a statement takes, with a margin: no other connection waits here.
    await sql`pragma synchronous = off`.execute(store.db);
    await sql`pragma cache_size = -400000`.execute(store.db);
    await useContactSearch(store);
    await catchUpContactSearch(store, { atOnce: 2_000 });
    await sql`pragma cache_size = -8000`.execute(store.db);
    await sql`pragma synchronous = full`.execute(store.db);
    const indexing = contacts / ((performance.now() - startedAt) / 1000);
    using api = openReadApi(store);
    const { ask } = api;
    // Once to warm up: compiled code is what a process that has answered for a while runs.
    await timesOfSearches(ask, some.slice(0, warmUp));
    const kindsMs = await timesOfSearches(ask, some);
    const times = [...kindsMs.values()].flat();
    const ratios = [
      await pageRatio(ask, '/api/contacts'),
      await pageRatio(ask, '/api/contacts?country=US&sort=updated_at:desc'),
    ];
    const rare = await ask('/api/contacts?name=qz');
    const figures: Figure[] = [
      { name: 'contacts_api.p99_ms', value: percentile(times, 0.99), limit: ['<=', 20], unit: 'ms' },
      { name: 'contacts_api.p50_ms', value: median(times), unit: 'ms' },
      { name: 'contacts_api.page_ratio', value: Math.max(...ratios), limit: ['<=', 1.3] },
      { name: 'contacts_api.two_letters_without_match_ms', value: rare.ms, unit: 'ms' },
      { name: 'contacts_api.indexed_per_second', value: indexing },
    ];
    for (const [kind, ms] of kindsMs)
      figures.push({ name: `contacts_api.p99_ms (${kind})`, value: percentile(ms, 0.99), unit: 'ms' });
    return figures;
  },
};

/** The sandbox's people, each in a row as wide as real ones; answers some of them, to search for. */
async function fill(path: string): Promise<readonly ContactEntry[]> {
  await using sandbox = await openSandbox({ contacts, bookings: 0, rateLimits: false });
  const book = sandbox.service.state.contacts.get(sandbox.handles.organization);
  if (book === undefined) throw new Error('no address book');
  const database = await openBulk(path);
  database.pragma('cache_size = -400000');
  const names = ['name', 'timezone', 'job_title', 'company', 'country', 'state', 'city', 'linkedin'] as const;
  const insert = database.prepare(`insert into contacts
    (uri, created_at, updated_at, as_of, version, emails, phone_numbers, extra, ${names.join()})
    values (${Array.from({ length: 8 + names.length }, () => '?').join()})`);
  const some: ContactEntry[] = [];
  let number = 0;
  database.exec('begin');
  for (const entry of book.values()) {
    insert.run([
      entry.uri,
      entry.created_at,
      entry.updated_at,
      entry.updated_at,
      '0'.repeat(75),
      JSON.stringify(entry.emails),
      JSON.stringify(entry.phone_numbers),
      JSON.stringify({ filler }),
      ...names.map((name) => entry[name]),
    ]);
    if ((number += 1) % (contacts / searches) === 0) some.push(entry);
    if (number % 50_000 === 0) database.exec('commit; begin');
  }
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return some;
}

const filler = 'x'.repeat(500);

/** From the rare to the common: each is put together from what some contact says. */
const kinds: Readonly<Record<string, (one: ContactEntry) => Readonly<Record<string, string | null>>>> = {
  plain: () => ({}),
  name: ({ name }) => ({ name }),
  'part of a name': ({ name }) => ({ name: name?.slice(0, 3) ?? null }),
  'end of a name': ({ name }) => ({ name: name?.slice(-4) ?? null }),
  country: ({ country }) => ({ country }),
  state: ({ state }) => ({ state }),
  timezone: ({ timezone }) => ({ timezone }),
  places: ({ country, timezone, state }) => ({ country: `${country},XX`, timezone, state }),
  'places that do not meet': ({ timezone }) => ({ country: 'JP', timezone }),
  company: ({ company }) => ({ company: company?.slice(0, 5) ?? null }),
  'job title': ({ job_title }) => ({ job_title: job_title?.slice(0, 4) ?? null }),
  'city and company': ({ city, company }) => ({ city, company }),
  'four filters': ({ country, job_title, company, name }) => ({
    country,
    job_title,
    company,
    name: name?.slice(-3) ?? null,
  }),
  'parts that no contact has together': ({ name, state }) => ({
    name: name?.slice(0, 3) ?? null,
    job_title: 'Chief',
    state,
  }),
  'no match': ({ state }) => ({ state, name: 'no such name' }),
};
const sorts = ['created_at:asc', 'created_at:desc', 'updated_at:asc', 'updated_at:desc'] as const;

async function timesOfSearches(ask: Ask, some: readonly ContactEntry[]): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  const entries = Object.entries(kinds);
  for (const [number, one] of some.entries()) {
    const [kind, filtersOf] = entries[number % entries.length] as (typeof entries)[number];
    const query = new URLSearchParams({ sort: sorts[Math.floor(number / entries.length) % sorts.length] as string });
    for (const [name, value] of Object.entries(filtersOf(one))) if (value !== null) query.set(name, value);
    const { ms } = await ask(`/api/contacts?${query}`);
    times.set(kind, [...(times.get(kind) ?? []), ms]);
  }
  return times;
}
