// How long a search of 100,000 contacts takes through the API, on SQLite and on PostgreSQL: each page of a search and those that follow it.
import { request } from 'undici';
import { startPostgres } from '../test/harness/postgres.ts';
import { median, percentile, type Figure, type Measurement } from './measure.ts';
import { startProduct, temporaryFolder, type RunningProduct } from './processes.ts';
import { fillContacts } from './reads-world.ts';

const contacts = 100_000;
const rounds = 35;
const warmUp = 5;
/** A search, the next page and the one after it. */
const pages = 3;

/** At most so many milliseconds (p99). */
const searches: Readonly<Record<string, number>> = {
  '': 100,
  'name=Ada Costa': 100,
  'name=costa': 100,
  'name=no such name': 100,
  'name=costa&sort=created_at:desc': 100,
  'name=costa&company=company 12': 100,
  'name=costa,dubois,fischer': 100,
  'job_title=engineer 69&company=company': 100,
  'company=Company 7&country=DE': 100,
  'city=ZÜRICH': 100,
  'city=москва&name=farah': 100,
  'city=жанна': 100,
  'email=person7@example.test': 100,
  'phone_number=+493017': 100,
  'timezone=Europe/Berlin': 100,
  'name=os': 500,
  'name=qq': 500,
  'name=j': 500,
  'city=ж': 500,
  'name=j&city=Ü': 500,
  // PostgreSQL has no index of places.
  'country=XX': 500,
  // No index has the time of the last update: what is found is sorted.
  'name=costa&sort=updated_at:desc': 500,
  'sort=updated_at:desc': 500,
  'name=a&sort=updated_at:desc': 500,
};

export const search: Measurement = {
  name: 'search',
  about: `the search of ${contacts} contacts on SQLite and PostgreSQL`,
  async run() {
    await using postgres = await startPostgres({ durable: true });
    const figures: Figure[] = [];
    for (const engine of ['sqlite', 'postgres'] as const) {
      using folder = temporaryFolder();
      const url = engine === 'sqlite' ? `sqlite:${folder.path}/mirror.db` : await postgres.createDatabase();
      await fillContacts(url, contacts);
      await using product = await startProduct('start', { DATA_DIR: folder.path, DATABASE_URL: url });
      for (const [text, limit] of Object.entries(searches)) {
        const times: number[] = [];
        for (let round = -warmUp; round < rounds; round += 1) {
          const spent = await searchMs(product, text);
          if (round >= 0) times.push(...spent);
        }
        const named = `(${text || 'all'})`;
        figures.push({ name: `search.${engine}_p50_ms ${named}`, value: median(times), unit: 'ms' });
        const p99 = percentile(times, 0.99);
        figures.push({ name: `search.${engine}_p99_ms ${named}`, value: p99, limit: ['<=', limit], unit: 'ms' });
      }
    }
    return figures;
  },
};

const headers = { authorization: 'Bearer bench-admin-token' };

/** The time of each page. */
async function searchMs({ adminPort }: RunningProduct, text: string): Promise<readonly number[]> {
  const times: number[] = [];
  const address = new URL(`http://127.0.0.1:${adminPort}/api/contacts`);
  address.search = new URLSearchParams(text.replaceAll('+', '%2B')).toString();
  for (let more = true; more && times.length < pages;) {
    const startedAt = performance.now();
    const answer = await request(address, { headers });
    const { pagination } = (await answer.body.json()) as { pagination?: { next_page_token: string | null } };
    times.push(performance.now() - startedAt);
    if (pagination === undefined) throw new Error(`${address.href} answers ${answer.statusCode}.`);
    more = pagination.next_page_token !== null;
    address.searchParams.set('page_token', pagination.next_page_token ?? '');
  }
  return times;
}
