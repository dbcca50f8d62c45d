// Why a row is what it is: who touched it, and where each of its values came from.
import { describe, expect } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { createReadApi } from '#src/api/operations.ts';
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { readingWithin } from '#src/store/reading/reading.ts';
import { explain, type ColumnOrigin, type Explanation } from '#src/read/explain-row.ts';
import { prune } from '#workers/fold/retention/retention.ts';
import type { RecordKind } from '#schemas/records.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eraseFrom } from '../../harness/erasures.ts';
import { expectGolden } from '../../harness/golden.ts';
import { ingestBodies, oneEngine, receivedAt, testWith } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const contact = `${base}/contacts/c1`;
const invitee = `${base}/invitees/i1`;
const meeting = `${base}/scheduled_events/e1`;
const screen = privacyScreen({ eraseOnDelete: true });

const deliveryBody = (event: string, minute: number, payload: object): string =>
  JSON.stringify({ event, created_at: `2025-04-14T11:${minute}:00Z`, payload });
const stamp = (minute: number) => ({ updated_at: `2025-04-14T11:${minute}:00Z` });

const read = (store: Store, kind: RecordKind, record: object) =>
  ingestRecords({ store, screen }, [{ kind, record: record as never, observed: '2025-04-14T11:50:00.000000Z' }], {
    source: 'backfill',
    now: receivedAt,
  });

/** What happened, and what is asked about then. */
const cases: Readonly<Record<string, (store: Store) => Promise<readonly string[]>>> = {
  async 'deliveries-in-another-order-one-of-them-twice'(store) {
    const emails = [{ email: 'ada@example.test', is_primary: true }];
    const late = deliveryBody('contact.updated', 20, { uri: contact, ...stamp(20), name: 'Ada K.', city: 'London' });
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, ...stamp(10), name: 'Ada', emails, company: null }),
      deliveryBody('contact.updated', 30, { uri: contact, ...stamp(30), name: 'Ada L.' }),
      late,
    ]);
    await ingestBodies(store, [late]);
    return [contact];
  },
  async 'a-value-that-was-set-once-and-repeated-since'(store) {
    const update = (minute: number, fields: object) =>
      deliveryBody('contact.updated', minute, { uri: contact, ...stamp(minute), ...fields });
    await ingestBodies(store, [
      update(10, { name: 'Ada', company: 'Example', city: null }),
      update(20, { name: 'Ada K.', company: 'Example', city: null }),
      update(30, { name: 'Ada', company: 'Example', city: null }),
      update(40, { name: 'Ada', company: 'Example', city: null }),
      // Late: it changes nothing.
      update(35, { name: 'Ada L.' }),
    ]);
    return [contact];
  },
  async 'a-meeting-and-a-no-show-by-its-mark'(store) {
    const scheduled_event = { uri: meeting, name: 'Coffee', ...stamp(10) };
    const person = { uri: invitee, event: meeting, tracking: { utm_source: 'mail' }, ...stamp(10) };
    const no_show = { uri: `${base}/invitee_no_shows/n1`, created_at: '2025-04-14T11:30:00Z' };
    await ingestBodies(store, [
      deliveryBody('invitee.created', 10, { ...person, no_show: null, scheduled_event }),
      deliveryBody('invitee_no_show.created', 30, { ...person, no_show }),
    ]);
    return [invitee, meeting];
  },
  async 'a-mark-that-was-removed'(store) {
    const no_show = { uri: `${base}/invitee_no_shows/n1`, created_at: '2025-04-14T11:30:00Z' };
    await ingestBodies(store, [
      deliveryBody('invitee_no_show.created', 30, { uri: invitee, no_show }),
      deliveryBody('invitee_no_show.deleted', 40, { uri: invitee }),
    ]);
    return [invitee];
  },
  async 'a-user-who-was-read-with-a-membership'(store) {
    const user = { uri: `${base}/users/u1`, name: 'Grace' };
    await read(store, 'organization_membership', { uri: `${base}/organization_memberships/m1`, role: 'owner', user });
    return [user.uri];
  },
  async 'an-erased-person'(store) {
    const email = 'ada@example.test';
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, emails: [{ email }], ...stamp(10) }),
      deliveryBody('invitee.created', 10, { uri: invitee, email, status: 'active', ...stamp(10) }),
    ]);
    await eraseFrom(store, email, { now: '2025-05-01T00:00:00.000000Z' });
    return [contact, invitee];
  },
  async 'a-delivery-that-was-pruned'(store) {
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) }),
      deliveryBody('contact.updated', 20, { uri: contact, name: 'Ada L.', ...stamp(20) }),
    ]);
    const needs = { store, sleep: async () => {}, nowMs: () => 0 };
    await prune(needs, { before: '2025-06-01T00:00:00.000000Z', signal: new AbortController().signal });
    return [contact];
  },
  async 'a-value-whose-supplier-the-log-no-longer-shows'(store) {
    await ingestBodies(store, [deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) })]);
    await store.db.updateTable('event_log').set({ body: null }).execute();
    return [contact];
  },
  async 'a-delivery-that-could-not-be-projected'(store) {
    await ingestBodies(store, [deliveryBody('contact.merged', 10, { uri: contact })]);
    return [contact];
  },
};

const fieldText = ({ column, value, seq, event, source, occurred_at: at, since }: ColumnOrigin): string =>
  `  ${column}: ${canonicalJson(value)}, by ${seq} ${event} ${source} ${at}, since ${canonicalJson(since)}`;

describe.each(oneEngine)('why, on $name,', ({ fresh }) => {
  const it = testWith(fresh);

  it.for(Object.entries(cases))('tells what golden/%s.txt says', async ([name, happen], { store }) => {
    const parts = [];
    for (const uri of await happen(store)) {
      const { deliveries, fields, ...row } = (await explain(store, { uri, after: 0, limit: 1_000 })) ?? expect.fail();
      parts.push(canonicalJson(row), ...deliveries.map((one) => `  ${canonicalJson(one)}`), ...fields.map(fieldText));
    }
    await expectGolden(parts.join('\n'), `golden/${name}.txt`);
  });

  it('gives a long and heavy history in parts, each with all the values, and lets others have their turn', async ({
    store,
  }) => {
    const columns = ['name', 'job_title', 'company', 'city', 'country', 'state', 'linkedin', 'timezone'];
    const textOf = (n: number) => `${n % 10}`.repeat(n < 100 ? 3_900 : 1);
    const bodies = Array.from({ length: 350 }, (_, n) => {
      const texts = Object.fromEntries(columns.map((column) => [column, textOf(n)]));
      const created_at = new Date(Date.UTC(2025, 3, 14, 12, 0, n)).toISOString();
      return JSON.stringify({
        event: 'contact.updated',
        created_at,
        payload: { uri: contact, updated_at: created_at, ...texts },
      });
    });
    for (let from = 0; from < bodies.length; from += 10) await ingestBodies(store, bodies.slice(from, from + 10));
    let turns = 0;
    let next: NodeJS.Immediate;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    next = setImmediate(count);
    for (const limit of [200, 1_000]) {
      const seqs: number[] = [];
      for (let after: number | null = 0; after !== null;) {
        const part: Explanation | undefined = await explain(store, { uri: contact, after, limit });
        if (part === undefined) throw new Error('nothing is known');
        expect(JSON.stringify(part).length).toBeLessThan(6 * 1024 * 1024);
        expect(part.fields).toContainEqual(expect.objectContaining({ column: 'name', value: textOf(349), seq: 350 }));
        expect(part.deliveries.length).toBeLessThanOrEqual(limit);
        seqs.push(...part.deliveries.map(({ seq }) => seq));
        after = part.next_after;
      }
      expect(seqs).toEqual(Array.from({ length: 350 }, (_, n) => n + 1));
    }
    clearImmediate(next);
    expect(turns).toBeGreaterThan(10);
  });

  it('answers over HTTP, and says when it knows nothing', async ({ store }) => {
    const tail = openTail({ lastSeq: async () => 0 });
    const api = createReadApi({
      store,
      reading: readingWithin(store),
      tail,
      screen,
      clock: () => 0,
      secret: 'secret',
      report: () => {},
    });
    await ingestBodies(store, [deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) })]);
    const ask = async (uri: string) => {
      const answer = await api.request(`http://localhost/api/why?uri=${encodeURIComponent(uri)}`);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    expect(await ask(contact)).toEqual({
      status: 200,
      body: await explain(store, { uri: contact, after: 0, limit: 1_000 }),
    });
    expect(await ask(`${contact}x`)).toMatchObject({ status: 404, body: { details: [{ parameter: 'uri' }] } });
    tail.close();
  });
});
