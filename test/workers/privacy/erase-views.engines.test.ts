// A person who is erased is in no view, no event of the feed and no answer about people, also where only a name stood for them.
import { describe, expect } from 'vitest';
import { cloudEventText } from '#src/feed/cloud-event.ts';
import { readFeed } from '#src/feed/entry.ts';
import type { Store } from '#src/store/contract.ts';
import { viewNames } from '#src/store/views/views.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { eraseFrom } from '../../harness/erasures.ts';
import { viewRows } from '../../harness/mirror/view-rows.ts';
import { ingestBodies, oneEngine, rowsOf, tableNames, testWith } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const address = 'canary@gelbfeder.test';
const name = 'Canary Gelbfeder';
const trace = /gelbfeder/i;
const screen = privacyScreen({ eraseOnDelete: true });
const times = { created_at: '2025-04-14T10:00:00Z', updated_at: '2025-04-14T10:00:00Z' };
const uris = {
  contact: `${base}/contacts/1`,
  invitee: `${base}/scheduled_events/1/invitees/1`,
  meeting: `${base}/scheduled_events/1`,
  recap: `${base}/meeting_recaps/1`,
  form: `${base}/routing_forms/1`,
  host: `${base}/users/1`,
};

const deliveryBody = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:00:00Z', payload: { ...times, ...payload } });
const form = (id: number, answers: object[], more: object = {}) =>
  deliveryBody('routing_form_submission.created', {
    uri: `${base}/routing_form_submissions/${id}`,
    routing_form: uris.form,
    questions_and_answers: answers,
    result: { type: 'event_type', value: `${base}/event_types/1` },
    ...more,
  });
const bodies = [
  deliveryBody('contact.created', { uri: uris.contact, name, emails: [{ email: address, is_primary: true }] }),
  deliveryBody('invitee.created', {
    uri: uris.invitee,
    email: address.toUpperCase(),
    name,
    status: 'active',
    timezone: 'Europe/Berlin',
    event: uris.meeting,
    scheduled_event: {
      ...times,
      uri: uris.meeting,
      name: 'Intake',
      status: 'active',
      start_time: '2025-04-14T10:30:00Z',
      end_time: '2025-04-14T10:50:00Z',
      event_memberships: [{ user: uris.host, user_name: 'Host', user_email: 'host@example.test' }],
    },
  }),
  deliveryBody('meeting_recap.created', {
    uri: uris.recap,
    transcript: `${uris.recap}/transcript`,
    event: uris.meeting,
  }),
  form(1, [
    { question: 'Name', answer: name },
    { question: 'E-mail', answer: address },
  ]),
  // Without the address; that it is theirs, the other record says.
  form(2, [{ question: 'Name', answer: name }], { submitter: uris.invitee }),
];
const records = [
  {
    kind: 'meeting_recap_transcript',
    record: { uri: uris.recap, created_at: times.created_at, speakers: ['Host', name] },
  },
] as const;

const now = '2025-04-15T12:00:00.000000Z';
const later = { now: '2025-04-16T12:00:00.000000Z' };
const read = (store: Store, some: readonly Pick<ServiceRecord, 'kind' | 'record'>[] = records) =>
  ingestRecords(
    { store, screen },
    some.map((each) => ({ ...each, observed: now })),
    { source: 'reconcile', now },
  );

async function observe(store: Store): Promise<void> {
  await ingestBodies(store, bodies);
  await read(store);
}

/** The texts of the tables, the views and the feed. */
async function everything(store: Store): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of tableNames) found[table] = JSON.stringify(await rowsOf(store, table));
  for (const view of viewNames) found[view] = JSON.stringify(await viewRows(store, view));
  const { entries } = await readFeed(store, {}, { after: 0, limit: 1_000, include: 'row' });
  found['feed'] = entries.map((entry) => cloudEventText(entry, 'urn:test') + entry.text).join('\n');
  return found;
}
const naming = async (store: Store) =>
  Object.entries(await everything(store)).flatMap(([where, text]) => (trace.test(text) ? [where] : []));

describe.each(oneEngine)('an erased person on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for([address, uris.contact, uris.invitee])('is in no view or feed: %s', async (whom, { store }) => {
    await observe(store);
    expect(await naming(store)).toEqual(
      expect.arrayContaining(['people', 'unbooked_submissions', 'booking_journeys', 'feed']),
    );
    await eraseFrom(store, whom, later);
    expect(await naming(store)).toEqual([]);
    await observe(store);
    await replay({ store, screen }, {});
    expect(await naming(store)).toEqual([]);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
    expect(await naming(store)).toEqual([]);
  });

  it('is in no view or feed when everything comes after the erasure, in either order', async () => {
    for (const order of [bodies, bodies.toReversed()]) {
      await using opened = await fresh();
      const { store } = opened;
      await eraseFrom(store, address, later);
      await read(store);
      for (const body of order) await ingestBodies(store, [body]);
      expect(await naming(store)).toEqual([]);
      await read(store);
      expect(await naming(store)).toEqual([]);
      expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
    }
  });

  it('is in no label of a column of contacts_wide', async ({ store }) => {
    const record = { uri: `${base}/contact_custom_fields/1`, label: `Known to ${address}`, ...times };
    await read(store, [{ kind: 'custom_field_definition', record }]);
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: record.label }]);
    await eraseFrom(store, address, later);
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: null }]);
  });
});
