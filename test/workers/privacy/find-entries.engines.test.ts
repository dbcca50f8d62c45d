// The search of the log on both stores: entries that hold the person's address in another form, before the erasure and after it.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { ingestBodies, rowsOf, availableEngines, testWith } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const now = '2025-04-14T12:00:00.000000Z';
const key = 'k'.repeat(64);

const contact = (id: string, email: string, more: object = {}): string =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:00:00Z',
    payload: {
      uri: `${base}/contacts/${id}`,
      name: `Name ${id}`,
      emails: [{ email, is_primary: true }],
      updated_at: '2025-04-14T10:00:00Z',
      ...more,
    },
  });

const other = contact('other', 'other@example.test', {
  company: 'see {"e":"victim\\u0040bücher.example"}',
  job_title: 'victim\uff20bücher.example',
  city: 'victim&#64;bücher.example',
  state: 'victim@xn--bcher-kva.example',
  country: 'Germany &#64; home',
});
const bodies = [
  contact('unicode', 'victim@bücher.example'),
  contact('punycode', 'Victim@xn--bcher-kva.example'),
  contact('wide', 'victim\uff20bücher.example'),
  other,
];

async function expectGone(store: Store): Promise<void> {
  const rows = new Map((await rowsOf(store, 'contacts')).map((row) => [row['uri'], row]));
  for (const id of ['unicode', 'punycode', 'wide'])
    expect(rows.get(`${base}/contacts/${id}`)).toMatchObject({ name: null, deleted_source: 'operator' });
  const emptied = { company: null, job_title: null, city: null, state: null };
  expect(rows.get(`${base}/contacts/other`)).toMatchObject({
    name: 'Name other',
    country: 'Germany &#64; home',
    ...emptied,
  });
  expect(JSON.stringify(await rowsOf(store, 'event_log')).toLowerCase()).not.toContain('victim');
}

describe.each(availableEngines)('other forms of an erased address on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for(['victim@bücher.example', 'VICTIM@XN--BCHER-KVA.example', 'victim\uff20bücher.example'])(
    'are removed with %s, whether they arrived before or arrive later',
    async (whom, { store }) => {
      await ingestBodies(store, bodies);
      await erase({ store, newKey: () => key }, targetOf(whom), { now });
      await expectGone(store);
      await ingestBodies(
        store,
        bodies.map((body) => body.replace('11:00', '11:30')),
      );
      await expectGone(store);
    },
  );
});
