// What the operations that read answer about one world, on every store: each answer whole, what each filter finds, and why a request is
// refused, in golden files; and the contract of every list.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertTotals, countAlerts } from '#src/store/alerts/alert-queries.ts';
import { uri } from '../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../harness/data/read-world.ts';
import { briefAnswers, expectGolden, nameOf, wholeAnswers } from '../../harness/golden.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { oneEngine, storeEngines } from '../../harness/stores.ts';

const of = (kind: string, id: string): string => encodeURIComponent(uri(kind, id));

const whole: Readonly<Record<string, readonly string[]>> = {
  alerts: ['/api/alerts'],
  deliveries: ['/api/deliveries?count=2&include=sentence', '/api/deliveries/19', '/api/deliveries/60'],
  subscriptions: ['/api/subscriptions?count=1'],
  timelines: ['/api/contacts/a/timeline', '/api/contacts/one/timeline', '/api/contacts/old/timeline'],
};

/** The list, and queries of it. */
const filters: Readonly<Record<string, readonly string[]>> = {
  '/api/alerts': [
    'state=pending',
    'rule=lag',
    'channel=email',
    `subject=${of('invitees', 'A3')}`,
    'channel=slack&state=sent',
    'state=said',
  ],
  '/api/deliveries': [
    'event=contact.merged&outcome=unhandled',
    'event=contact.*&count=3',
    'event=meeting_recap.deleted',
    'event=a*b',
    'outcome=quarantined',
    'outcome=unprojected',
    'outcome=odd',
    'source=webhook&outcome=applied&count=2',
    'source=backfill',
    `subject=${of('contacts', 'ada')}`,
    'subject=%27+or+%27%27%3D%27',
    'reason=not+JSON',
    'min_seq=4&max_seq=6',
    'min_seq=0',
    'max_seq=1.5',
    'q=NAME+OF+BEN',
    'q=no+json',
    'q=%25xx',
    'q=',
    ...['2025-04-14', '2025-04-14T12:00', '2025-04-14T14:00:00%2B02:00', '2025-04-14T12:01', 'soon'].map(
      (time) => `min_received_at=${time}&count=2`,
    ),
    ...['2025-04-13', '2025-04-14', '2025-04-14T12:00:00Z', '2025-04-14T12:00:01'].map(
      (time) => `max_received_at=${time}&count=2`,
    ),
    'address=LOVELACE@Example.test',
    `address=lovelace@example.test&subject=${of('contacts', 'ada2')}`,
    'address=lovelace@example.test&event=contact.created',
    'address=none@example.test',
  ],
  '/api/quarantine': [
    '',
    'outcome=quarantined',
    'event=contact.merged&count=1',
    'reason=This+version+does+not+know+this+kind+of+event.+It+is+stored.',
    'outcome=applied',
  ],
};

/** An identity or a place in the log. */
const oneByOne = [
  '60',
  '59a5707fb9024705d92f368e896a29f44f63a56b99d3b8e269cbfe018a632100',
  '0',
  '99',
  '9'.repeat(15),
].map((id) => `/api/deliveries/${id}`);

const strange = ['none', "'", '%', '%00', 'A1%2Fx', 'x'.repeat(300)];

describe.each(storeEngines)('the operations that read, on $name', ({ name: engine, available, fresh }) => {
  let api: Awaited<ReturnType<typeof openReadApi>>;
  beforeAll(async () => {
    if (!available) return;
    api = await openReadApi(fresh);
    await fillReadWorld(api.store);
  });
  afterAll(() => api?.[Symbol.asyncDispose]());

  it.runIf(available).each(Object.entries(whole))('answer as golden/%s.txt says', async (name, addresses) => {
    await expectGolden(await wholeAnswers(api, addresses), `golden/${name}.txt`);
  });

  it.runIf(available).each(Object.entries(filters))('find in %s what its golden file says', async (list, queries) => {
    const text = await briefAnswers(
      api,
      queries.map((query) => `${list}?${query}`),
    );
    await expectGolden(text, `golden/filters-of-${list.replace('/api/', '').replace('/', '-')}.txt`);
  });

  it.runIf(available)('find one record by every name it has', async () => {
    await expectGolden(await briefAnswers(api, oneByOne), 'golden/one-by-one.txt');
  });

  it.runIf(available)('count alerts by channel and state', async () => {
    const counts = (await countAlerts(api.store)).map(({ channel, state, count }) => `${channel} ${state} ${count}`);
    expect(counts.toSorted()).toEqual(['email pending 1', 'slack failed 1', 'slack pending 1', 'slack sent 1']);
    expect(await alertTotals(api.store)).toEqual({ pending: 2, sent: 1, retracting: 0, retracted: 0, failed: 1 });
  });

  const lists = [...Object.keys(filters), '/api/contacts', '/api/contacts/a/timeline', '/api/subscriptions'];
  it.runIf(available).each(lists)('list %s in pages, both ways, every record once', async (list) => {
    const page = async (query: string) => {
      const { status, body } = await api.get(`${list}?${query}`);
      expect([query, status]).toEqual([query, 200]);
      const { next_page_token: next, previous_page_token: previous } = body.pagination as Record<string, string | null>;
      return { names: (body.collection as Parameters<typeof nameOf>[0][]).map(nameOf), next, previous };
    };
    const { names: all } = await page('count=100');
    expect([all.length > 1, new Set(all).size]).toEqual([true, all.length]);
    const count = Math.ceil(all.length / 3);
    const pages = [await page(`count=${count}`)];
    for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
      pages.push(await page(`count=${count}&page_token=${next}`));
    const read = pages.flatMap(({ names }) => names);
    expect(read).toEqual(all);
    let previous = pages.at(-1)?.previous;
    for (const { names } of pages.slice(0, -1).toReversed()) {
      const back = await page(`count=${count}&page_token=${previous}`);
      expect(back.names).toEqual(names);
      ({ previous } = back);
    }
    expect(previous ?? null).toBeNull();
  });

  // What is refused does not depend on the engine; what it makes of odd values is in hostile-requests.engines.test.ts.
  if (!oneEngine.some(({ name }) => name === engine)) return;

  it.each(lists)('refuse for %s a forged page, a size and a filter that cannot be', async (list) => {
    const { body } = await api.get(`${list}?count=1`);
    const token = body.pagination.next_page_token as string;
    for (const changed of [
      token.slice(0, -3),
      `${token}A`,
      `${token.slice(0, 20)}${token[20] === 'B' ? 'C' : 'B'}${token.slice(21)}`,
    ])
      expect((await api.get(`${list}?page_token=${changed}`)).status).toBe(400);
    const other = list === '/api/alerts' ? '/api/deliveries' : '/api/alerts';
    expect((await api.get(`${other}?page_token=${token}`)).status).toBe(400);
    for (const query of ['page_token=forged', 'page_token=', 'count=0', 'count=101', 'count=two'])
      expect([query, (await api.get(`${list}?${query}`)).status]).toEqual([query, 400]);
    // The service ignores names that it does not know, and so do its operations here. Ours find typing errors.
    const unknown = await api.get(`${list}?nonsense=1&nonsense=2`);
    expect(unknown.status).toBe(list === '/api/contacts' ? 200 : 400);
  });

  it('do not find what does not exist', async () => {
    const paths = ['contacts', 'deliveries'];
    for (const path of [...paths.map((one) => `/api/${one}/`), '/api/contacts/*/timeline'])
      for (const id of strange) {
        const address = path.includes('*') ? path.replace('*', encodeURIComponent(id)) : path + encodeURIComponent(id);
        expect([address, (await api.get(address)).status]).toEqual([address, 404]);
      }
    for (const id of strange)
      expect([id, (await api.post(`/api/alerts/${encodeURIComponent(id)}/resend`)).status]).toEqual([id, 404]);
  });
});
