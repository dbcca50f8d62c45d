// What a stranger may send and what a store refuses, through ingest into each engine: kept, alike on both, with its reason, and never in
// the way of its neighbours.
import { describe, expect, it } from 'vitest';
import type { StoredRow } from '#src/store/rows.ts';
import { bombs } from '../../../harness/data/hostile.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { ingestBodies, rowsOf, availableEngines } from '../../../harness/stores.ts';

const uri = 'https://api.example.test/contacts/1';
const contact = (payload: object, event = 'contact.updated') =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri, ...payload } });
const neighbour = (n: number) => contact({ uri: `https://api.example.test/contacts/neighbour-${n}`, name: `n${n}` });

describe.each(availableEngines)('on $name', ({ fresh }) => {
  const opened = openedAnew(fresh);

  const entries = async () =>
    (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
  const theContact = async () =>
    (await rowsOf(opened.store, 'contacts')).find((row) => row['uri'] === uri) as StoredRow;

  it('bombs of depth and size are quarantined, and their neighbours are not', async () => {
    const bodies = [neighbour(1), ...bombs.map(([body]) => body), neighbour(2)];
    await ingestBodies(opened.store, bodies);
    expect((await entries()).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['applied', null],
      ...bombs.map(([, reason]) => ['quarantined', reason]),
      ['applied', null],
    ]);
    expect((await entries()).map(({ body }) => String(body).length)).toEqual(bodies.map((body) => body.length));
  });

  it('hostile text is stored as it is, apart from NUL and half a surrogate pair', async () => {
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

  it('URIs and addresses as long as they may be fit both engines', async () => {
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
});
