// How long GET /contacts of the sandbox takes on a million contacts: any search, and a deep page against the first.
import { openSandbox } from '#src/sandbox/sandbox.ts';
import type { Sandbox } from '#src/sandbox/sandbox.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { median, percentile, type Measurement } from './measure.ts';
import { asking, deepPage, pageRatio, type Ask } from './pages.ts';

const contacts = 1_000_000;
const searches = 1500;

export const sandboxContacts: Measurement = {
  name: 'sandbox-contacts',
  about: `GET /contacts on ${contacts} contacts: ${searches} searches, and page ${deepPage} against page 1`,
  async run() {
    const rssBefore = process.memoryUsage().rss;
    const startedAt = performance.now();
    await using sandbox = await openSandbox({ contacts, bookings: 0, rateLimits: false });
    const openMs = performance.now() - startedAt;
    const openMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
    const { base_url: base, tokens } = sandbox.handles;
    const headers = { authorization: `Bearer ${tokens.owner}` };
    const ask = asking((address) => fetch(new URL(address, base), { headers }));
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

/** From rare to common: each search is made from the values of a contact. */
const kinds: readonly ((one: ContactEntry) => Readonly<Record<string, string | null>>)[] = [
  ({ name }) => ({ name }),
  ({ name }) => ({ name: name?.slice(0, 2) ?? null }),
  ({ city, company }) => ({ city, company }),
  ({ country, job_title, company, name }) => ({ country, job_title, company, name: name?.slice(-3) ?? null }),
  ({ name, company, timezone }) => ({ name: `${name},unknown,missing`, company: company?.slice(-4) ?? null, timezone }),
  ({ emails }) => ({ email: emails.map(({ email }) => email).join() }),
  ({ phone_numbers, country }) => ({ phone_number: phone_numbers[0]?.phone_number ?? null, country }),
  ({ state }) => ({ state, name: 'no such name' }),
  ({ name, city }) => ({ name, city, job_title: 'Chief', company: 'Travel' }),
];
const sorts = ['created_at:asc', 'created_at:desc', 'updated_at:asc', 'updated_at:desc'] as const;

async function timesOfSearches({ service, handles }: Sandbox, ask: Ask): Promise<readonly number[]> {
  const collection = service.state.contacts.get(handles.organization);
  const times: number[] = [];
  for (let number = 0; number < searches; number += 1) {
    const one = collection?.pick(service.random.next());
    const kind = kinds[number % kinds.length];
    if (one === undefined || kind === undefined) throw new Error('no contacts');
    const query = new URLSearchParams({ sort: service.random.pick(sorts) });
    for (const [name, value] of Object.entries(kind(one))) if (value !== null) query.set(name, value);
    times.push((await ask(`/contacts?${query}`)).ms);
  }
  return times;
}
