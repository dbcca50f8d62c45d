// What a stranger may send and what a store refuses, through ingest into each engine: kept, alike on both, with its reason, and never in
// the way of its neighbours.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoredRow } from '#src/store/rows.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { bombs } from '../../harness/data/hostile.ts';
import { ingest } from '../../harness/ingest.ts';
import { refuseContact } from '../../harness/refuse-contact.ts';
import {
  emptyTables,
  ingestBodies,
  projectedRows,
  receivedAt,
  rowsOf,
  storeEngines,
  type TestStore,
} from '../../harness/stores.ts';

const uri = 'https://api.example.test/contacts/1';
const contact = (payload: object, event = 'contact.updated') =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri, ...payload } });
const neighbour = (n: number) => contact({ uri: `https://api.example.test/contacts/neighbour-${n}`, name: `n${n}` });
const invitee = (rest: string) =>
  `{"event":"invitee.created","created_at":"2025-04-14T11:43:10Z","payload":{"uri":"https://api.example.test/invitees/1",${rest}}}`;

describe.each(storeEngines)('on $name', ({ available, fresh }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh();
  });
  beforeEach(async () => {
    if (available) await emptyTables(opened.store);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  const entries = async () =>
    (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
  const theContact = async () =>
    (await rowsOf(opened.store, 'contacts')).find((row) => row['uri'] === uri) as StoredRow;

  it.runIf(available)('a delivery replayed many times has one effect', async () => {
    const body = contact({ name: 'Ada', emails: [{ email: 'ada@example.test', is_primary: true }] });
    await ingestBodies(opened.store, [body]);
    const rows = await projectedRows(opened.store);
    await ingestBodies(
      opened.store,
      Array.from({ length: 60 }, () => body),
    );
    for (let n = 0; n < 9; n += 1) await ingestBodies(opened.store, [body]);
    expect(await projectedRows(opened.store)).toEqual(rows);
    expect((await entries()).map(({ outcome, duplicates }) => [outcome, duplicates])).toEqual([['applied', 69]]);
  });

  it.runIf(available)('bombs of depth and size are quarantined, and their neighbours are not', async () => {
    const bodies = [neighbour(1), ...bombs.map(([body]) => body), neighbour(2)];
    await ingestBodies(opened.store, bodies);
    expect((await entries()).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['applied', null],
      ...bombs.map(([, reason]) => ['quarantined', reason]),
      ['applied', null],
    ]);
    expect((await entries()).map(({ body }) => String(body).length)).toEqual(bodies.map((body) => body.length));
  });

  it.runIf(available)('a prototype sent as a key changes no object and no other column', async () => {
    const body = `{"__proto__":{"admin":true},"event":"contact.updated","created_at":"2025-04-14T11:43:10Z","payload":{"uri":"${uri}","name":"Ada",
      "__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"emails":[{"email":"a@x","__proto__":{"is_primary":true}}],
      "custom_fields":[{"uri":"https://x/f","label":"constructor","value":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}}]}}`;
    await ingestBodies(opened.store, [body]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(await theContact()).toMatchObject({ name: 'Ada', company: null, primary_email: 'a@x' });
    expect(await rowsOf(opened.store, 'contact_emails')).toMatchObject([{ email: 'a@x', is_primary: false }]);
    expect(Object.keys((await theContact())['extra'] as object)).toEqual(['constructor']);
  });

  it.runIf(available)(
    'of a key sent twice the last counts, for the kind, the check, the log and the rows alike',
    async () => {
      await ingestBodies(opened.store, [contact({ name: 'Ada' })]);
      await ingestBodies(opened.store, [
        `{"event":"invitee.created","event":"contact.deleted","created_at":"2025-04-14T11:43:10Z","payload":{"uri":"https://x/unknown"},"payload":{"uri":"${uri}"}}`,
      ]);
      expect((await entries()).map(({ event, subject_uri }) => [event, subject_uri])).toEqual([
        ['contact.updated', uri],
        ['contact.deleted', uri],
      ]);
      expect((await theContact())['deleted_at']).toBe('2025-04-14T11:43:10.000000Z');
      expect(await rowsOf(opened.store, 'invitees')).toEqual([]);
    },
  );

  it.runIf(available)('numbers that no double holds are kept as the digits that were sent', async () => {
    await ingestBodies(opened.store, [
      invitee(
        '"payment":{"amount":9007199254740993,"external_id":"a"},"small":-0,"odd":1e308,"tiny":5e-324,"questions_and_answers":[{"position":2,"answer":"x"}]',
      ),
    ]);
    const [row] = await rowsOf(opened.store, 'invitees');
    expect(row).toMatchObject({ payment: { amount: '9007199254740993' }, payment_amount: null });
    expect(row?.['extra']).toEqual({ odd: '1e308', small: 0, tiny: 5e-324 });
    await ingestBodies(opened.store, [invitee('"updated_at":"2025-04-15T11:43:10Z","payment":{"amount":"1234.56"}')]);
    expect(await rowsOf(opened.store, 'invitees')).toMatchObject([{ payment_amount: 1234.56 }]);
  });

  it.runIf(available)('hostile text is stored as it is, apart from NUL and half a surrogate pair', async () => {
    const texts = [
      "'); DROP TABLE contacts;--",
      '$1 ?1 :name @x %s " \' ` \\ \\\\',
      '🐎👩‍👩‍👧 \u202eRTL\u202c \u200b\ufeff é e\u0301',
      '\u0001\u001b[2J\r\n\t\u007f',
      'x'.repeat(1_000_000),
    ];
    for (const [n, name] of texts.entries()) {
      await ingestBodies(opened.store, [
        contact({ name, company: name, emails: [{ email: name }], updated_at: `2025-04-14T11:42:1${n}Z` }),
      ]);
      expect(await theContact()).toMatchObject({ name, company: name, primary_email: name, emails: [{ email: name }] });
    }
    const odd = `{"event":"contact.updated","created_at":"2025-04-15T11:43:10Z","payload":{"uri":"${uri}","updated_at":"2025-04-15T11:42:10Z","name":"a\\u0000b\\ud800c","x\\u0000y":1}}`;
    await ingestBodies(opened.store, [odd]);
    expect(await theContact()).toMatchObject({ name: 'a\uFFFDb\uFFFDc', extra: { 'x\uFFFDy': 1 } });
    expect((await entries()).at(-1)).toMatchObject({ outcome: 'applied', body: odd });
  });

  it.runIf(available)('URIs and addresses as long as they may be fit both engines', async () => {
    const noise = (length: number, seed: number) =>
      Array.from({ length }, (_, n) => (((n + seed) * 7_919 * (n + 3)) % 46_656).toString(36))
        .join('')
        .slice(0, length);
    const long = `https://${noise(1_016, 1)}`;
    const event = `https://${noise(1_016, 5)}`;
    await ingestBodies(opened.store, [
      contact({
        uri: long,
        emails: [
          { email: noise(990, 2), is_primary: true },
          { email: noise(5_000, 3), is_primary: false },
        ],
        custom_fields: [{ uri: `https://${noise(900, 4)}`, value: 1 }],
      }),
      JSON.stringify({
        event: 'invitee_no_show.created',
        created_at: '2025-04-14T11:43:10Z',
        payload: {
          uri: long,
          email: noise(9_000, 6),
          event,
          scheduled_event: { uri: event },
          no_show: { uri: `https://${noise(1_016, 7)}` },
        },
      }),
    ]);
    expect((await entries()).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['applied', null],
      ['applied', null],
    ]);
  });

  it.runIf(available)(
    'what was not a delivery at all is kept in quarantine, bytes whole, beside its neighbours',
    async () => {
      const bytes = { body: Buffer.from([0x7b, 0xff, 0x00, 0x7d]).toString('base64'), encoding: 'base64', receivedAt };
      const forged = [
        JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown,
        null,
        {},
        { body: neighbour(3), receivedAt: 'yesterday' },
        { body: '\0', receivedAt },
        { body: '\ud800', receivedAt },
      ];
      const [first, second] = [neighbour(1), neighbour(2)].map((body) => ({ body, receivedAt }));
      const needs = { store: opened.store, screen: privacyScreen({ eraseOnDelete: true }) };
      await ingest(needs, { v: 1, deliveries: [first, ...forged, bytes, bytes, second] }, receivedAt);
      await ingest(needs, { v: 2, deliveries: [] }, receivedAt);
      const quarantined = [...forged, bytes, 'the batch of another version'].map(() => 'quarantined');
      const outcomes = (await entries()).map(({ outcome }) => outcome);
      expect(outcomes.toSorted()).toEqual(['applied', 'applied', ...quarantined]);
      const { encoding, body } = bytes;
      expect((await entries()).filter((entry) => entry['encoding'])).toMatchObject([{ body, encoding, duplicates: 1 }]);
    },
  );

  it.runIf(available)('an unknown kind is stored as unhandled, a body that is not JSON is quarantined', async () => {
    const unknown = [contact({}, 'contact.merged'), contact({}, 'constructor')];
    await ingestBodies(opened.store, [...unknown, 'no JSON', '', '[]', '"x"', 'null']);
    expect((await entries()).map(({ outcome }) => outcome)).toEqual([
      'unhandled',
      'unhandled',
      ...Array.from({ length: 5 }, () => 'quarantined'),
    ]);
    expect(await projectedRows(opened.store)).toEqual({});
  });

  it.runIf(available)('the one delivery that the store refuses is quarantined, and no neighbour of it', async () => {
    const relent = await refuseContact(opened.store, 'poison');
    const batch = Array.from({ length: 40 }, (_, n) => neighbour(n)).toSpliced(17, 0, contact({ name: 'poison' }));
    await ingestBodies(opened.store, batch);
    const [culprit, ...others] = (await entries()).filter(({ outcome }) => outcome !== 'applied');
    expect(others).toEqual([]);
    expect(culprit).toMatchObject({ outcome: 'quarantined', subject_uri: uri, body: contact({ name: 'poison' }) });
    expect(culprit?.['reason']).toMatch(/^The store refused it \(\w+\)\.$/);
    expect(await rowsOf(opened.store, 'contacts')).toHaveLength(40);
    await relent();
  });
});
