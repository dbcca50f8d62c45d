// Why a row is what it is: who touched it, and where each of its values came from.
import { describe, expect } from 'vitest';
import { createReadApi } from '#src/api/operations.ts';
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { explain, type Explanation } from '#workers/sync/explain-row.ts';
import { prune } from '#workers/retention/retention.ts';
import type { RecordKind } from '#schemas/records.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { eraseFrom } from '../../harness/erasures.ts';
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

async function whyOf(store: Store, uri: string): Promise<Explanation> {
  const found = await explain(store, { uri, after: 0, limit: 1_000 });
  if (found === undefined) throw new Error('nothing is known');
  return found;
}

/** Column → [value, place of the entry it came from, what that was]. */
const originsIn = ({ fields }: Explanation) =>
  Object.fromEntries(fields.map(({ column, value, seq, event }) => [column, [value, seq, event]]));

describe.each(oneEngine)('why, on $name,', ({ fresh }) => {
  const it = testWith(fresh);

  it('tells the deliveries in order, and for each value the one that supplied it', async ({ store }) => {
    const emails = [{ email: 'ada@example.test', is_primary: true }];
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, ...stamp(10), name: 'Ada', emails, company: null }),
      deliveryBody('contact.updated', 30, { uri: contact, ...stamp(30), name: 'Ada L.' }),
      deliveryBody('contact.updated', 20, { uri: contact, ...stamp(20), name: 'Ada K.', city: 'London' }),
    ]);
    await ingestBodies(store, [
      deliveryBody('contact.updated', 20, { uri: contact, ...stamp(20), name: 'Ada K.', city: 'London' }),
    ]);
    const why = await whyOf(store, contact);
    expect(why).toMatchObject({ uri: contact, table: 'contacts', deleted: false, next_after: null });
    expect(why.deliveries).toMatchObject([
      { seq: 1, event: 'contact.created', source: 'webhook', outcome: 'applied', delay_seconds: 3_000, duplicates: 0 },
      { seq: 2, outcome: 'applied', changes: { contacts: { name: ['Ada', 'Ada L.'] } }, redacted: false },
      { seq: 3, outcome: 'applied', duplicates: 1, reason: null, pruned: false },
    ]);
    expect(originsIn(why)).toMatchObject({
      name: ['Ada L.', 2, 'contact.updated'],
      emails: [emails, 1, 'contact.created'],
      primary_email: ['ada@example.test', 1, 'contact.created'],
      company: [null, 1, 'contact.created'],
      city: ['London', 3, 'contact.updated'],
    });
    // No entry mentions it.
    expect(Object.keys(originsIn(why))).not.toContain('job_title');
  });

  it('tells the entry that set a value apart from the last one that repeated it', async ({ store }) => {
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
    const { fields } = await whyOf(store, contact);
    const since = Object.fromEntries(fields.map((field) => [field.column, [field.since?.seq, field.seq]]));
    expect(since).toMatchObject({ name: [3, 4], company: [1, 4], city: [1, 4] });
    expect(fields.find(({ column }) => column === 'company')?.since).toEqual({
      seq: 1,
      event: 'contact.updated',
      source: 'webhook',
      occurred_at: expect.stringContaining('11:10:00'),
    });
  });

  it('tells a meeting’s values from its invitees’ deliveries, and a no-show from its mark', async ({ store }) => {
    const scheduled_event = { uri: meeting, name: 'Coffee', ...stamp(10) };
    const person = { uri: invitee, event: meeting, tracking: { utm_source: 'mail' }, ...stamp(10) };
    const no_show = { uri: `${base}/invitee_no_shows/n1`, created_at: '2025-04-14T11:30:00Z' };
    await ingestBodies(store, [
      deliveryBody('invitee.created', 10, { ...person, no_show: null, scheduled_event }),
      deliveryBody('invitee_no_show.created', 30, { ...person, no_show }),
    ]);
    expect(originsIn(await whyOf(store, invitee))).toMatchObject({
      no_show_uri: [no_show.uri, 2, 'invitee_no_show.created'],
      utm_source: ['mail', 2, 'invitee_no_show.created'],
    });
    const why = await whyOf(store, meeting);
    expect(why.table).toBe('scheduled_events');
    // The mark said nothing about the meeting.
    expect(why.deliveries.map(({ seq }) => seq)).toEqual([1]);
    expect(originsIn(why)).toMatchObject({ name: ['Coffee', 1, 'invitee.created'] });

    await ingestBodies(store, [deliveryBody('invitee_no_show.deleted', 40, person)]);
    expect(originsIn(await whyOf(store, invitee))).toMatchObject({ no_show: [null, 3, 'invitee_no_show.deleted'] });
  });

  it('tells what was read, and a user’s values from a membership', async ({ store }) => {
    const user = { uri: `${base}/users/u1`, name: 'Grace' };
    await read(store, 'organization_membership', { uri: `${base}/organization_memberships/m1`, role: 'owner', user });
    const why = await whyOf(store, user.uri);
    expect(why.deliveries).toMatchObject([
      { event: 'organization_membership.read', source: 'backfill', delay_seconds: null },
    ]);
    expect(originsIn(why)).toMatchObject({ name: ['Grace', 1, 'organization_membership.read'] });
  });

  it('tells an erasure, and which entry a value came from that was taken out', async ({ store }) => {
    const email = 'ada@example.test';
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, emails: [{ email }], ...stamp(10) }),
      deliveryBody('invitee.created', 10, { uri: invitee, email, status: 'active', ...stamp(10) }),
    ]);
    const now = '2025-05-01T00:00:00.000000Z';
    await eraseFrom(store, email, { now });
    const why = await whyOf(store, contact);
    expect(why.deleted).toBe(true);
    expect(why.deliveries).toMatchObject([
      { seq: 1, redacted: true, pruned: false },
      { event: 'person.erased', source: 'operator', delay_seconds: null },
    ]);
    expect(originsIn(why)).toMatchObject({ deleted_at: [now, why.deliveries[1]?.seq, 'person.erased'] });
    expect(originsIn(await whyOf(store, invitee))).toMatchObject({
      email: [null, 2, 'invitee.created'],
      status: ['active', 2, 'invitee.created'],
    });
  });

  it('says which deliveries were pruned, and still names every supplier', async ({ store }) => {
    await ingestBodies(store, [
      deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) }),
      deliveryBody('contact.updated', 20, { uri: contact, name: 'Ada L.', ...stamp(20) }),
    ]);
    const needs = { store, sleep: async () => {}, nowMs: () => 0 };
    await prune(needs, { before: '2025-06-01T00:00:00.000000Z', signal: new AbortController().signal });
    const why = await whyOf(store, contact);
    expect(why.deliveries).toMatchObject([
      { seq: 1, event: 'contact.created', outcome: 'applied', redacted: true, pruned: true },
      { seq: 2, redacted: false, pruned: false },
    ]);
    expect(why.fields.filter(({ seq }) => seq !== 2)).toEqual([]);
  });

  it('says when a value was observed where the log no longer shows by whom', async ({ store }) => {
    await ingestBodies(store, [deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) })]);
    await store.db.updateTable('event_log').set({ body: null }).execute();
    expect((await whyOf(store, contact)).fields).toContainEqual({
      column: 'name',
      value: 'Ada',
      since: null,
      seq: null,
      event: null,
      source: null,
      occurred_at: '2025-04-14T11:10:00.000000Z',
    });
  });

  it('tells of what could not be projected, although there is no row', async ({ store }) => {
    await ingestBodies(store, [deliveryBody('contact.merged', 10, { uri: contact })]);
    expect(await whyOf(store, contact)).toMatchObject({
      table: null,
      deliveries: [{ outcome: 'unhandled', reason: expect.stringContaining('does not know this kind') }],
      fields: [],
    });
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
        expect(originsIn(part)['name']).toEqual([textOf(349), 350, 'contact.updated']);
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
    const api = createReadApi({ store, tail, screen, clock: () => 0, secret: 'secret', report: () => {} });
    await ingestBodies(store, [deliveryBody('contact.created', 10, { uri: contact, name: 'Ada', ...stamp(10) })]);
    const ask = async (uri: string) => {
      const answer = await api.request(`http://localhost/api/why?uri=${encodeURIComponent(uri)}`);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    expect(await ask(contact)).toEqual({ status: 200, body: await whyOf(store, contact) });
    expect(await ask(`${contact}x`)).toMatchObject({ status: 404, body: { details: [{ parameter: 'uri' }] } });
    tail.close();
  });
});
