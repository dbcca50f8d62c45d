// What GET /contacts of the sandbox takes on a million contacts: any search, and a page deep inside against the first.
import { openSandbox } from '#src/sandbox/sandbox.ts';
import type { Sandbox } from '#src/sandbox/sandbox.ts';
import type { ContactEntry } from '#src/sandbox/world/contact-entry.ts';
import { median, percentile, type Measurement } from './measure.ts';

const contacts = 1_000_000;
const searches = 1500;
const deepPage = 1000;
const pairs = 300;

type Ask = (path: string) => Promise<{ readonly ms: number; readonly next: string | null; readonly count: number }>;

export const sandboxContacts: Measurement = {
  name: 'sandbox-contacts',
  about: `GET /contacts on ${contacts} contacts: ${searches} searches, and page ${deepPage} against page 1`,
  async run() {
    const rssBefore = process.memoryUsage().rss;
    const startedAt = performance.now();
    await using sandbox = await openSandbox({ contacts, bookings: 0, rateLimits: false });
    const openMs = performance.now() - startedAt;
    const openMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
    const ask = asking(sandbox);
    const { ms: firstByUpdateMs } = await ask('/contacts?sort=updated_at:desc&name=a');
    const times = await timesOfSearches(sandbox, ask);
    const plain = await pageRatio(ask, '/contacts');
    const filtered = await pageRatio(ask, '/contacts?name=a&sort=updated_at:desc');
    return [
      { name: 'sandbox.contacts_p99_ms', value: percentile(times, 0.99), limit: ['<=', 50], unit: 'ms' },
      { name: 'sandbox.contacts_p50_ms', value: median(times), unit: 'ms' },
      { name: 'sandbox.contacts_page_ratio', value: Math.max(plain, filtered), limit: ['<=', 1.3] },
      { name: 'sandbox.contacts_open_ms', value: openMs, unit: 'ms' },
      { name: 'sandbox.contacts_first_by_update_ms', value: firstByUpdateMs, unit: 'ms' },
      { name: 'sandbox.contacts_open_mb', value: openMb, unit: 'MB' },
    ];
  },
};

function asking({ handles }: Sandbox): Ask {
  const headers = { authorization: `Bearer ${handles.tokens.owner}` };
  return async (path) => {
    const startedAt = performance.now();
    const answer = await fetch(path.startsWith('http') ? path : handles.base_url + path, { headers });
    const text = await answer.text();
    const ms = performance.now() - startedAt;
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    const { pagination } = JSON.parse(text) as { pagination: { next_page: string | null; count: number } };
    return { ms, next: pagination.next_page, count: pagination.count };
  };
}

/** From the rare to the common: each is put together from what some contact says. */
const kinds: readonly ((one: ContactEntry) => Readonly<Record<string, string | null>>)[] = [
  ({ name }) => ({ name }),
  ({ name }) => ({ name: name?.slice(0, 2) ?? null }),
  ({ city, company }) => ({ city, company }),
  ({ country, job_title, company, name }) => ({ country, job_title, company, name: name?.slice(-3) ?? null }),
  ({ name, company, timezone }) => ({ name: `${name},nobody,else`, company: company?.slice(-4) ?? null, timezone }),
  ({ emails }) => ({ email: emails.map(({ email }) => email).join() }),
  ({ phone_numbers, country }) => ({ phone_number: phone_numbers[0]?.phone_number ?? null, country }),
  ({ state }) => ({ state, name: 'nobody at all' }),
  ({ name, city }) => ({ name, city, job_title: 'Chief', company: 'Travel' }),
];
const sorts = ['created_at:asc', 'created_at:desc', 'updated_at:asc', 'updated_at:desc'] as const;

async function timesOfSearches({ service, handles }: Sandbox, ask: Ask): Promise<readonly number[]> {
  const book = service.state.contactBooks.get(handles.organization);
  const times: number[] = [];
  for (let number = 0; number < searches; number += 1) {
    const one = book?.pick(service.random.next());
    const kind = kinds[number % kinds.length];
    if (one === undefined || kind === undefined) throw new Error('an empty address book');
    const query = new URLSearchParams({ sort: service.random.pick(sorts) });
    for (const [name, value] of Object.entries(kind(one))) if (value !== null) query.set(name, value);
    times.push((await ask(`/contacts?${query}`)).ms);
  }
  return times;
}

/** Medians of samples taken in turns, so that whatever else the machine does falls on both. */
async function pageRatio(ask: Ask, first: string): Promise<number> {
  let deep = first;
  for (let page = 1; page < deepPage; page += 1) {
    const { next } = await ask(deep);
    if (next === null) throw new Error(`${first} has no page ${page + 1}`);
    deep = next;
  }
  const times = { first: [] as number[], deep: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    times.first.push((await ask(first)).ms);
    times.deep.push((await ask(deep)).ms);
  }
  return median(times.deep) / median(times.first);
}
