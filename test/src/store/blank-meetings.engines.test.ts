// Rows of meetings that nothing has described: they are in the table, and nothing that people or programs ask for shows them.
import { describe, expect } from 'vitest';
import { overviewOf } from '#src/store/status-counts.ts';
import { rowsByUri, uriEndingWith } from '#src/store/record-search.ts';
import { readFeed } from '#src/feed/entry.ts';
import type { Store } from '#src/store/contract.ts';
import { readBookingDetail } from '#src/read/bookings/booking-detail.ts';
import { explain } from '#src/read/explain-row.ts';
import { exportFolder, rowsIn } from '../../harness/mirror/export-folder.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { ageEntries, pruneLog } from '../../harness/erasures.ts';
import { availableEngines, ingestBodies, ingestRead, rowsOf, testWith } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const known = `${base}/scheduled_events/known`;
/** Elsewhere, so that not all meetings share one address. */
const blank = 'https://elsewhere.example.test/v2/scheduled_events/blank';
const start_time = '2025-04-15T09:00:00.000000Z';
const at = (minute: number) => `2025-04-14T11:${minute}:00.000000Z`;

const about = (id: string, minute: number, payload: object) =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: at(minute),
    payload: { uri: `${base}/scheduled_events/x/invitees/${id}`, status: 'active', updated_at: at(minute), ...payload },
  });
const scheduled_event = { uri: known, name: 'Talk', status: 'active', start_time, updated_at: at(10) };

/** A meeting that is described, and one that an invitee only names. */
async function fill(store: Store): Promise<void> {
  await ingestBodies(store, [
    about('one', 10, { event: known, scheduled_event }),
    about('two', 10, { event: blank, email: 'ada@example.test', created_at: at(10) }),
  ]);
  const rows = await rowsOf(store, 'scheduled_events');
  expect(new Map(rows.map(({ uri, version }) => [uri, version === null]))).toEqual(
    new Map([
      [known, false],
      [blank, true],
    ]),
  );
}

const uuidsIn = (body: { readonly collection: readonly { readonly uri: string }[] }): readonly string[] =>
  body.collection.map(({ uri }) => uri);

describe.each(availableEngines)('a meeting that nothing has described, on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('is in no list of the API, and is no record of its own', async () => {
    await using api = await openReadApi(fresh);
    await fill(api.store);
    for (const query of ['', '?sort=start_time:desc', '?status=active'])
      expect(uuidsIn((await api.get(`/api/scheduled_events${query}`)).body)).toEqual([known]);
    expect(await api.get('/api/scheduled_events?invitee_email=ada@example.test')).toMatchObject({
      body: { collection: [] },
    });
    expect((await api.get('/api/scheduled_events/known')).body.resource).toMatchObject({ uri: known });
    expect((await api.get('/api/scheduled_events/blank')).status).toBe(404);
    expect((await api.get('/api/scheduled_events/blank/invitees')).status).toBe(404);
    // The invitee says which meeting it is.
    const named = await api.get(
      '/api/tables/invitees?select=event_uri&event_uri=eq.'.concat(encodeURIComponent(blank)),
    );
    expect(named.body.collection).toEqual([{ event_uri: blank }]);
    expect(await readBookingDetail(api.store, `${base}/scheduled_events/x/invitees/two`)).toMatchObject({
      meeting: undefined,
      members: [{ start_time: null }],
    });
  });

  it('is not found by its URI, and hides no other whose URI has the same end', async ({ store }) => {
    await fill(store);
    expect((await rowsByUri(store, 'scheduled_events', [known, blank])).map(({ uri }) => uri)).toEqual([known]);
    expect(await uriEndingWith(store, 'scheduled_events', '/scheduled_events/known')).toBe(known);
    await ingestBodies(store, [about('five', 10, { event: 'https://another.example.test/scheduled_events/known' })]);
    expect(await uriEndingWith(store, 'scheduled_events', '/scheduled_events/known')).toBe(known);
    expect(await explain(store, { uri: blank, after: 0, limit: 10 })).toBeUndefined();
  });

  it('is not counted', async ({ store }) => {
    await fill(store);
    // What is described need not say when it begins.
    await ingestRead(store, [
      { kind: 'scheduled_event', record: { uri: `${base}/scheduled_events/untimed` }, observed: at(20) },
    ]);
    expect((await overviewOf(store)).rows).toMatchObject({ scheduled_events: 2, invitees: 2 });
  });

  it('is in no export, whole, since a time or incremental', async ({ store }) => {
    await using folder = await exportFolder();
    await fill(store);
    const exported = async (more: object) => {
      const { file } = await folder.write(store, { name: 'scheduled_events', format: 'ndjson', ...more });
      return (await rowsIn({ file, format: 'ndjson' }, {})).map(({ uri }) => uri);
    };
    expect(await exported({})).toEqual([known]);
    expect(await exported({ since: at(10) })).toEqual([known]);
    expect(await exported({ incremental: 'nightly' })).toEqual([known]);
    await ingestBodies(store, [about('three', 30, { event: blank }), about('four', 30, { scheduled_event })]);
    expect(await exported({ incremental: 'nightly' })).toEqual([known]);
    expect(await rowsOf(store, 'scheduled_events')).toHaveLength(2);
  });

  it('is no row of the feed, also where the content of an entry was pruned', async ({ store }) => {
    await fill(store);
    // The newest says only which meeting it is; what the oldest says of its own meeting is superseded as well.
    const moved = { ...scheduled_event, updated_at: at(20) };
    await ingestBodies(store, [
      about('three', 10, { event: known, scheduled_event, name: 'Ada' }),
      about('three', 30, { event: blank, name: 'Ada' }),
      about('four', 20, { event: known, scheduled_event: moved }),
    ]);
    await ageEntries(store, ({ subject_uri: uri }) => String(uri).endsWith('/three'));
    expect(await pruneLog(store)).toMatchObject({ examined: 2 });
    const { entries } = await readFeed(store, {}, { after: 0, limit: 10, include: 'row' });
    const rows = entries.map(({ text }) => JSON.parse(text) as { subject_uri: string; payload: unknown; row: object });
    const meetings = rows.flatMap(({ subject_uri, payload, row }) => [
      [
        subject_uri.split('/').at(-1),
        payload === null,
        JSON.stringify(row).includes('"Talk"'),
        'scheduled_events' in row,
      ],
    ]);
    expect(meetings).toEqual([
      ['one', false, true, true],
      ['two', false, false, false],
      // Pruned: the row of its subject names the blank one.
      ['three', true, false, true],
      ['three', false, false, false],
      ['four', false, true, true],
    ]);
    expect(rows[2]?.row).toMatchObject({ scheduled_events: null });
    expect(JSON.stringify(rows)).not.toContain('"version"');
  });
});
