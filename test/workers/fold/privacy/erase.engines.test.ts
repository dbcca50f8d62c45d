// What an erasure leaves behind on both stores: others' entries at the end of the log, where readers see them, and nothing that waits. That
// nothing of the person is left, whatever arrives when, is erase-property.engines.test.ts.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { readFeedRows } from '#src/store/log/feed.ts';
import { countUnprojected, lastSeq } from '#src/store/log/read.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import { eraseFrom, everythingIn } from '../../../harness/erasures.ts';
import {
  ingest,
  ingestBodies,
  projectedRows,
  receivedAt,
  rowsOf,
  availableEngines,
  oneEngine,
  testWith,
} from '../../../harness/stores.ts';
import { explain } from '#src/read/explain-row.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';

const base = 'https://api.example.test';
const now = '2025-04-14T12:00:00.000000Z';
const address = 'canary@example.test';
const screen = privacyScreen({ eraseOnDelete: true });
const eraseIn = (store: Store, more: { dryRun?: boolean } = {}) => eraseFrom(store, address, { now, ...more });

const deliveryBody = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:00:00Z', payload });
const contact = (id: string, more: object) => ({ uri: `${base}/contacts/${id}`, name: `Contact ${id}`, ...more });
const emails = (email: string) => [{ email, is_primary: true }];
const meeting = `${base}/scheduled_events/e`;
const mentioned = [
  deliveryBody('invitee.created', {
    uri: `${meeting}/invitees/bob`,
    email: 'bob@example.test',
    event: meeting,
    scheduled_event: {
      uri: meeting,
      name: 'Intake',
      event_guests: [{ email: address }, { email: 'eve@example.test' }],
    },
  }),
  deliveryBody('contact.created', contact('canary', { emails: emails(address) })),
  deliveryBody('contact.updated', contact('bob', { emails: emails('bob@example.test'), company: `knows ${address}` })),
  deliveryBody('contact.created', contact('eve', { emails: emails('eve@example.test') })),
];

const feedAfter = async (store: Store, after: number) =>
  (await readFeedRows(store, {}, { after, limit: 100 })).rows.map(({ event, subject_uri, body, outcome }) => ({
    event,
    subject_uri,
    outcome,
    body: String(body),
  }));

describe.each(availableEngines)('after an erasure on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('readers of the feed receive others’ entries again without the person', async ({ store }) => {
    await ingestBodies(store, mentioned);
    await ingestBodies(store, mentioned.slice(0, 1));
    const before = await rowsOf(store, 'event_log');
    const read = await lastSeq(store);
    expect((await eraseIn(store, { dryRun: true })).removed.moved).toBe(2);
    expect(await feedAfter(store, read)).toEqual([]);

    const receipt = await eraseIn(store);
    expect(receipt.removed).toMatchObject({ log_entries: 3, moved: 2 });
    const news = await feedAfter(store, read);
    expect(news.map(({ event, subject_uri }) => [event, subject_uri?.split('/').at(-1) ?? null])).toEqual([
      ['invitee.created', 'bob'],
      ['contact.updated', 'bob'],
      ['person.erased', 'canary'],
      ['person.erased', null],
    ]);
    expect(news[0]?.body).toContain('eve@example.test');
    expect(news.map(({ body }) => body).join('')).not.toContain(address);

    // The same entries at other places: copies stay copies, and nothing else is touched.
    const after = await rowsOf(store, 'event_log');
    const identity = ({ delivery_id, occurred_at, received_at, outcome, tie }: (typeof after)[number]) =>
      JSON.stringify([delivery_id, occurred_at, received_at, outcome, tie]);
    const webhooks = after.filter(({ source }) => source === 'webhook');
    expect(webhooks.map(identity).toSorted()).toEqual(before.map(identity).toSorted());
    const moved = after.find(({ seq, subject_uri }) => Number(seq) > read && subject_uri === `${meeting}/invitees/bob`);
    expect(moved).toMatchObject({ duplicates: 1, redacted: true, changes: null });
    const rows = await projectedRows(store);
    await ingestBodies(store, mentioned);
    await replay({ store, screen }, {});
    expect(await projectedRows(store)).toEqual(rows);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });

    const why = await explain(store, { uri: meeting, after: 0, limit: 10 });
    expect(why?.deliveries).toMatchObject([{ event: 'invitee.created', redacted: true, pruned: false }]);
    expect(why?.fields.find(({ column }) => column === 'guests')).toMatchObject({ seq: moved?.['seq'] });

    const end = await lastSeq(store);
    expect((await eraseIn(store)).removed).toMatchObject({ log_entries: 0, moved: 0 });
    expect(await lastSeq(store)).toBe(end);
  });

  it('nothing of a person is left whose address is in a value that does not fit', async ({ store }) => {
    const odd = (tag: string) => [
      deliveryBody('contact.updated', { uri: `${base}/contacts/odd-${tag}`, name: `Odd ${tag}`, emails: [address] }),
      deliveryBody('invitee.created', { uri: `${base}/invitees/odd-${tag}`, name: `Odd ${tag}`, email: [address] }),
    ];
    await ingestBodies(store, odd('early'));
    await eraseIn(store);
    await ingestBodies(store, odd('late'));
    for (const table of ['contacts', 'invitees', 'event_log'] as const)
      expect(JSON.stringify(await rowsOf(store, table))).not.toMatch(/Odd (early|late)/);
  });

  it('nothing waits in quarantine that was emptied, also where it comes late', async ({ store }) => {
    const kept = (tag: string) => [
      deliveryBody('contact.merged', { uri: `${base}/contacts/eve`, into: address, tag }),
      deliveryBody('contact.updated', { emails: address, tag }),
      deliveryBody('contact.updated', { uri: 'eve', emails: address, tag }),
      `{"event": "contact.updated", no JSON ${tag} ${address}`,
    ];
    const bytes = (tag: string) => ({
      v: 1,
      deliveries: [
        { body: Buffer.from(`\xff ${tag} ${address}`, 'latin1').toString('base64'), encoding: 'base64', receivedAt },
      ],
    });
    const record = { ...contact('fay', {}), uri: 'fay', emails: `${address}, and more` };
    const readLate = () =>
      ingestRecords({ store, screen }, [{ kind: 'contact', record, observed: now }], { source: 'reconcile', now });
    const others = [deliveryBody('contact.merged', { uri: `${base}/contacts/eve` }), 'no JSON at all'];
    await ingestBodies(store, [...mentioned, ...kept('early'), ...others]);
    await ingest({ store, screen }, bytes('early'), receivedAt);
    expect(await readLate()).toMatchObject({ quarantined: 1 });
    expect([await countUnprojected(store, 'quarantined'), await countUnprojected(store, 'unhandled')]).toEqual([6, 2]);

    expect((await eraseIn(store)).removed.quarantined).toBe(6);
    const standing = async () => {
      const { quarantined, unhandled } = await overviewOf(store);
      return { quarantined, unhandled, ...(await replay({ store, screen }, { unprojected: true }, { dryRun: true })) };
    };
    const waiting = { quarantined: 1, unhandled: 1, read: 2, changed: 0, stillQuarantined: 2 };
    expect(await standing()).toEqual(waiting);

    await ingestBodies(store, kept('late'));
    await ingest({ store, screen }, bytes('late'), receivedAt);
    expect(await readLate()).toMatchObject({ quarantined: 0, changed: [] });
    expect(await standing()).toEqual(waiting);
    expect(JSON.stringify(await rowsOf(store, 'event_log'))).not.toContain(address);
    expect(await replay({ store, screen }, {})).toMatchObject({ stillQuarantined: 2 });
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it('the receipt counts the alerts about them, and those about others stay', async ({ store }) => {
    await ingestBodies(store, mentioned);
    const about = ['canary', 'canary', 'bob'].map((id, index) => ({
      id: `alert-${index}`,
      rule: 'no-show',
      subject_uri: `${base}/contacts/${id}`,
      state: 'sent' as const,
      channel: 'slack',
      fact: 'marked',
      attempts: 0,
      episode: 1,
      occurred_at: now,
      due_at: now,
      next_at: now,
      created_at: now,
      updated_at: now,
    }));
    await store.db.insertInto('alerts').values(about).execute();
    expect(await eraseIn(store)).toMatchObject({ removed: { alerts: 2 } });
    expect(await rowsOf(store, 'alerts')).toMatchObject([{ id: 'alert-2' }]);
  });

  it('the label of a column of contacts_wide is gone that names them', async ({ store }) => {
    const record = { uri: `${base}/contact_custom_fields/1`, label: `Known to ${address}` };
    const read = { kind: 'custom_field_definition' as const, record, observed: '2025-04-14T11:30:00Z' };
    await ingestRecords({ store, screen }, [read], { source: 'reconcile', now });
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: record.label }]);
    await eraseIn(store);
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: null }]);
  });
});

describe.each(oneEngine)('an erasure on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('finds an address in the name of a kind without its body, and with its domain in either form', async ({
    store,
  }) => {
    const texts = ['victim@bücher.example', 'victim@xn--bcher-kva.example'];
    const companies = texts.map((company, n) => deliveryBody('contact.updated', contact(`${n}`, { company })));
    await ingestBodies(store, [deliveryBody(`custom.kind ${address}`, {}), ...companies]);
    await store.db.updateTable('event_log').set({ body: null }).where('event', 'like', 'custom%').execute();
    for (const whom of [address, ...texts.slice(0, 1)]) await eraseFrom(store, whom, { now });
    expect(await everythingIn(store)).not.toMatch(/canary@|victim@/);
  });

  it('can only be written by an operator', async ({ store }) => {
    const uri = `${base}/contacts/eve`;
    await ingestBodies(store, [...mentioned.slice(-1), deliveryBody('person.erased', { uri, table: 'contacts' })]);
    await replay({ store, screen }, {});
    expect(await rowsOf(store, 'contacts')).toMatchObject([{ name: 'Contact eve', deleted_at: null }]);
    const entries = await rowsOf(store, 'event_log');
    expect(entries.map(({ outcome }) => outcome)).toEqual(['applied', 'unhandled']);
  });
});
