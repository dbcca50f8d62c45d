// `erase`: the person is in no row and no entry, and nothing brings them back.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { eraseFrom, everythingIn } from '../../harness/erasures.ts';
import { ingest } from '../../harness/ingest.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestBodies, oneEngine, projectedRows, receivedAt, rowsOf, testWith } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const now = '2025-04-14T12:00:00.000000Z';
const address = 'Canary.Person@example.test';
const screen = privacyScreen({ eraseOnDelete: true });
const eraseIn = (store: Store, whom = address, more: { only?: boolean; dryRun?: boolean } = {}) =>
  eraseFrom(store, whom, { now, ...more });

const deliveryBody = (event: string, payload: object, created_at = '2025-04-14T11:00:00Z') =>
  JSON.stringify({ event, created_at, payload });

const contact = (id: string, email: string, more: object = {}) => ({
  uri: `${base}/contacts/${id}`,
  name: `Name ${id}`,
  emails: [{ email, is_primary: true }],
  phone_numbers: [{ phone_number: `+1${id}` }],
  updated_at: '2025-04-14T10:00:00Z',
  ...more,
});

const event = (id: string, more: object = {}) => ({
  uri: `${base}/scheduled_events/${id}`,
  name: 'Intake',
  status: 'active',
  location: { type: 'outbound_call', location: '+1 canary 555' },
  meeting_notes_plain: id === 'e' ? 'canary notes' : 'plain notes',
  event_memberships: [{ user: `${base}/users/h`, user_email: 'host@example.test', user_name: 'Host' }],
  event_guests: [{ email: 'guest@example.test' }],
  updated_at: '2025-04-14T10:00:00Z',
  ...more,
});

const invitee = (id: string, email: string, more: object = {}) => ({
  uri: `${base}/scheduled_events/e/invitees/${id}`,
  email,
  name: `Invitee ${id}`,
  status: 'active',
  event: `${base}/scheduled_events/e`,
  questions_and_answers: [{ question: 'Anything?', answer: `answer of ${id}`, position: 0 }],
  tracking: { utm_source: 'spring', salesforce_uuid: `sf-${id}` },
  payment: { external_id: `ch_${id}`, amount: 12.5, currency: 'EUR', provider: 'stripe', successful: true },
  updated_at: '2025-04-14T10:00:00Z',
  ...more,
});

const holds = async (store: Store, words: string) => (await everythingIn(store)).includes(words);

const history = [
  deliveryBody('contact.created', contact('canary', address)),
  deliveryBody('contact.updated', contact('other', 'other@example.test', { company: `knows ${address}` })),
  deliveryBody('invitee.created', invitee('canary', address.toUpperCase(), { scheduled_event: event('e') })),
  deliveryBody(
    'invitee.created',
    invitee('other', 'other@example.test', {
      event: `${base}/scheduled_events/f`,
      scheduled_event: event('f', {
        location: { type: 'physical', location: 'Here' },
        event_guests: [{ email: address }, { email: 'guest@example.test' }],
      }),
    }),
  ),
  deliveryBody('routing_form_submission.created', {
    uri: `${base}/routing_form_submissions/1`,
    routing_form: `${base}/routing_forms/1`,
    questions_and_answers: [
      { question: 'Name', answer: 'Canary Person' },
      { question: 'Address', answer: `<${address}>` },
    ],
    tracking: { utm_source: 'spring' },
  }),
  deliveryBody('meeting_recap.created', {
    uri: `${base}/meeting_recaps/1`,
    transcript: 'canary said so',
    event: {
      uri: `${base}/scheduled_events/e`,
      name: 'Intake',
      attendees: [{ user_email: address, user_name: 'Canary' }],
    },
  }),
  deliveryBody('contact.merged', { uri: `${base}/contacts/other`, into: address }),
  deliveryBody('contact.updated', { uri: 'other', emails: address }),
  `{"event": "contact.updated", no JSON canary.person\\u0040example.test`,
];

describe.each(oneEngine)('erase on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('by address takes a person out of every table and the log, and leaves others as they were', async ({ store }) => {
    await ingestBodies(store, history);
    await ingest(
      { store, screen },
      {
        v: 1,
        deliveries: [{ body: Buffer.from(`\xff ${address}`).toString('base64'), encoding: 'base64', receivedAt }],
      },
      receivedAt,
    );
    const receipt = await eraseIn(store);
    expect(await holds(store, 'canary.person@')).toBe(false);
    for (const words of ['canary said so', 'answer of canary', 'canary 555', 'canary notes', 'ch_canary', 'sf-canary'])
      expect(await holds(store, words)).toBe(false);
    expect(JSON.stringify(receipt).toLowerCase()).not.toContain('canary.person');

    const [contacts, invitees, events] = await Promise.all(
      (['contacts', 'invitees', 'scheduled_events'] as const).map((table) => rowsOf(store, table)),
    );
    const byUri = (rows: typeof contacts, end: string) => rows?.find(({ uri }) => String(uri).endsWith(end));
    expect(byUri(contacts, '/canary')).toMatchObject({ name: null, deleted_at: now, deleted_source: 'operator' });
    expect(byUri(contacts, '/other')).toMatchObject({ name: 'Name other', company: null, deleted_at: null });
    expect(byUri(invitees, '/canary')).toMatchObject({
      name: null,
      email: null,
      status: 'active',
      utm_source: 'spring',
      payment_amount: 12.5,
      event_uri: `${base}/scheduled_events/e`,
    });
    expect(byUri(invitees, '/other')).toMatchObject({ name: 'Invitee other', email: 'other@example.test' });
    expect(byUri(events, '/e')).toMatchObject({ name: 'Intake', location: { type: 'outbound_call' } });
    expect(byUri(events, '/f')).toMatchObject({
      location: { type: 'physical', location: 'Here' },
      guests: [{ email: 'guest@example.test' }],
    });
    expect(receipt.removed).toMatchObject({ quarantined: 4 });

    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
    const rows = await projectedRows(store);
    await ingestBodies(store, history);
    await replay({ store, screen }, {});
    expect(await projectedRows(store)).toEqual(rows);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
    expect(await holds(store, 'canary.person@')).toBe(false);
  });

  it('finds an address in the name of a kind without its body, and with its domain in either form', async ({
    store,
  }) => {
    const texts = ['victim@bücher.example', 'victim@xn--bcher-kva.example'];
    await ingestBodies(store, [
      deliveryBody(`custom.kind ${address}`, {}),
      ...texts.map((company, n) => deliveryBody('contact.updated', contact(`${n}`, `${n}@example.test`, { company }))),
    ]);
    await store.db.updateTable('event_log').set({ body: null }).where('event', 'like', 'custom%').execute();
    for (const whom of [address, ...texts.slice(0, 1)]) await eraseIn(store, whom);
    const text = await everythingIn(store);
    expect(['canary.person@', 'victim@', '0@example'].filter((words) => text.includes(words))).toEqual(['0@example']);
  });

  it('is no drift for what is read later, and lets a person come back', async ({ store }) => {
    const needs = { store, screen };
    const page = [
      { kind: 'contact' as const, record: contact('canary', address), observed: '2025-04-14T11:30:00Z' },
      { kind: 'invitee' as const, record: invitee('canary', address), observed: '2025-04-14T11:30:00Z' },
    ];
    await ingestRecords(needs, page, { source: 'backfill', now });
    await eraseIn(store);
    const later = page.map((one) => ({ ...one, observed: '2025-04-14T13:00:00Z' }));
    expect(await ingestRecords(needs, later, { source: 'reconcile', now })).toMatchObject({
      unchanged: 2,
      changed: [],
    });
    const changed = later.map((one) => ({ ...one, record: { ...one.record, timezone: 'UTC' } }));
    expect(await ingestRecords(needs, changed, { source: 'reconcile', now })).toMatchObject({
      unchanged: 2,
      changed: [],
    });
    expect(await holds(store, 'canary.person@')).toBe(false);

    await ingestBodies(store, [deliveryBody('contact.created', contact('again', address), '2025-04-15T00:00:00Z')]);
    expect(await holds(store, 'canary.person@')).toBe(true);
  });

  it('erases a record by name that turns out to be theirs only later, with what stood there before', async ({
    store,
  }) => {
    await eraseIn(store);
    const read = { kind: 'scheduled_event' as const, record: event('e'), observed: '2025-04-14T11:30:00Z' };
    await ingestRecords({ store, screen }, [read], { source: 'backfill', now });
    expect(await holds(store, 'canary 555')).toBe(true);
    await ingestBodies(store, [deliveryBody('invitee.created', invitee('canary', address))]);
    expect(await holds(store, 'canary 555')).toBe(false);
    // Newer than the erasure, and without the address.
    const moved = { email: null, name: 'Canary Person', updated_at: '2025-05-01T00:00:00Z' };
    await ingestBodies(store, [deliveryBody('invitee.canceled', invitee('canary', '', moved), '2025-05-01T00:00:00Z')]);
    await ingestBodies(store, [deliveryBody('contact.created', contact('late', address))]);
    expect(await holds(store, 'canary person')).toBe(false);
    const [row] = await rowsOf(store, 'invitees');
    expect(row).toMatchObject({ status: 'canceled', name: null, email: null });
    expect(await rowsOf(store, 'contacts')).toMatchObject([{ name: null, deleted_source: 'operator' }]);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it('keeps of a user who is erased by URI only that a host existed', async ({ store }) => {
    const uri = `${base}/users/h`;
    const user = { uri, name: 'Canary Host', email: 'host@example.test', slug: 'canary-host' };
    const records = [
      {
        kind: 'organization_membership' as const,
        record: { uri: `${base}/organization_memberships/1`, role: 'user', user },
      },
      {
        kind: 'scheduled_event' as const,
        record: event('f', { event_memberships: [{ user: uri, user_name: 'Canary Host' }] }),
      },
      {
        kind: 'event_type' as const,
        record: { uri: `${base}/event_types/1`, profile: { type: 'User', owner: uri, name: 'Canary Host' } },
      },
    ];
    const observed = '2025-04-14T11:30:00Z';
    await ingestRecords(
      { store, screen },
      records.map((one) => ({ ...one, observed })),
      { source: 'backfill', now },
    );
    await eraseIn(store, uri);
    expect(await holds(store, 'canary host')).toBe(false);
    expect(await rowsOf(store, 'users')).toMatchObject([{ uri, name: null, email: null, slug: null }]);
    expect((await rowsOf(store, 'scheduled_events'))[0]).toMatchObject({ hosts: [{ user: uri }] });
    expect((await rowsOf(store, 'organization_memberships'))[0]).toMatchObject({ role: 'user', user_uri: uri });
    expect((await rowsOf(store, 'event_types'))[0]).toMatchObject({ profile: { type: 'User', owner: uri } });
    const later = records.map((one) => ({ ...one, observed: '2025-04-14T13:00:00Z' }));
    expect(await ingestRecords({ store, screen }, later, { source: 'reconcile', now })).toMatchObject({ changed: [] });
    expect(await holds(store, 'canary host')).toBe(false);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it('takes the person out of the label of a column of contacts_wide', async ({ store }) => {
    const record = { uri: `${base}/contact_custom_fields/1`, label: `Known to ${address}` };
    const read = { kind: 'custom_field_definition' as const, record, observed: '2025-04-14T11:30:00Z' };
    await ingestRecords({ store, screen }, [read], { source: 'reconcile', now });
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: record.label }]);
    await eraseIn(store);
    expect(await rowsOf(store, 'contacts_wide_columns')).toMatchObject([{ label: null }]);
  });

  it('can only be written by an operator', async ({ store }) => {
    const uri = `${base}/contacts/other`;
    await ingestBodies(store, [
      deliveryBody('contact.created', contact('other', 'other@example.test')),
      deliveryBody('person.erased', { uri, table: 'contacts' }),
    ]);
    await replay({ store, screen }, {});
    expect(await rowsOf(store, 'contacts')).toMatchObject([{ name: 'Name other', deleted_at: null }]);
    const entries = await rowsOf(store, 'event_log');
    expect(entries.map(({ outcome }) => outcome)).toEqual(['applied', 'unhandled']);
  });
});
