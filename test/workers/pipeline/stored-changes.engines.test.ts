// What the log stores about the changes of an entry, and what readers get: the same as if every column were stored.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { canonicalJson, type JsonObject } from '#schemas/wire.ts';
import { readFeed } from '#src/feed/entry.ts';
import { readDelivery } from '#src/store/log/log-search.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { entriesAt } from '#src/store/log/retention.ts';
import { blankChanges } from '#src/store/log/retention.ts';
import { blankEntry, parseText } from '#workers/pipeline/parse.ts';
import { completeChanges } from '#workers/pipeline/stored-changes.ts';
import { erase } from '#workers/privacy/erase.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { targetOf } from '#workers/privacy/target.ts';
import type { Changes } from '#workers/projections/merge.ts';
import { explain } from '#workers/sync/explain-row.ts';
import { observedRecord } from '#workers/sync/record-entry.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { mixedHistory, recordOf } from '../../harness/data/api-reads.ts';
import { cut, history, reordered } from '../../harness/data/delivery-histories.ts';
import { fold, readObservation } from '../../harness/mirror/memory-fold.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import {
  emptyTables,
  freshMemory,
  freshPostgres,
  ingestBodies,
  receivedAt,
  type TestStore,
} from '../../harness/stores.ts';

const screen = privacyScreen({ eraseOnDelete: false });
const base = 'https://api.example.test';
const at = (second: number) => `2025-04-14T11:43:${String(second).padStart(2, '0')}.000000Z`;
const delivery = (event: string, second: number, payload: object) =>
  JSON.stringify({ event, created_at: at(second), payload });

const meeting = { uri: `${base}/scheduled_events/1`, name: 'Intro', status: 'active' };
const invitee = {
  uri: `${base}/invitees/1`,
  name: 'Ada',
  email: 'ada@example.test',
  event: meeting.uri,
  scheduled_event: meeting,
};
const created = {
  invitees: { email: [null, 'ada@example.test'], name: [null, 'Ada'], event_uri: [null, meeting.uri] },
  scheduled_events: { name: [null, 'Intro'], status: [null, 'active'] },
};

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 30 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 8 },
])('the changes of entries on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  beforeEach(async () => {
    if (available) opened = await fresh();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());

  const entries = async () =>
    entriesAt(
      opened.store,
      Array.from({ length: await lastSeq(opened.store) }, (_, index) => index + 1),
    );
  const fed = async (): Promise<JsonObject[]> =>
    (await readFeed(opened.store, {}, { after: 0, limit: 1_000 })).entries.map(({ text }) => JSON.parse(text));

  it.runIf(available)(
    'name the table of a row that an entry created, and are complete when they are read',
    async () => {
      await ingestBodies(opened.store, [delivery('invitee.created', 1, invitee)]);
      const later = { ...invitee, uri: `${base}/invitees/2`, scheduled_event: { ...meeting, name: 'Call' } };
      await ingestBodies(opened.store, [delivery('invitee.created', 2, later)]);
      expect((await entries()).map(({ changes }) => changes)).toEqual([
        { invitees: 'created', scheduled_events: 'created' },
        { invitees: 'created', scheduled_events: { name: ['Intro', 'Call'] } },
      ]);
      const complete = [created, { ...created, scheduled_events: { name: ['Intro', 'Call'] } }];
      expect((await fed()).map(({ changes }) => changes)).toEqual(complete);
      const explained = await explain(opened.store, { uri: meeting.uri, after: 0, limit: 10 });
      expect(explained?.deliveries.map(({ changes }) => changes)).toEqual(complete);
      const stored = await readDelivery(opened.store, { seq: 1 });
      expect(stored && completeChanges(stored)).toEqual(created);
    },
  );

  it.runIf(available)(
    'are those of the fold, for any order, duplication and batching of deliveries',
    async () => {
      await fc.assert(
        fc.asyncProperty(history(10).chain(reordered).chain(cut), async (batches) => {
          await emptyTables(opened.store);
          for (const batch of batches)
            await ingestBodies(
              opened.store,
              batch.map(({ body }) => body),
              false,
            );
          const { effects } = fold(
            batches.map((batch) => batch.map(readObservation)),
            { eraseOnDelete: false },
          );
          const merged = new Map<string, Changes | null>();
          for (const [index, { body }] of batches.flat().entries()) {
            const id = parseText(body, blankEntry).entry.delivery_id;
            if (!merged.has(id)) merged.set(id, effects[index]?.changes ?? null);
          }
          const log = await entries();
          const texts = new Map((await fed()).map(({ seq, changes }) => [seq, canonicalJson(changes)]));
          for (const entry of log) {
            const expected = canonicalJson(merged.get(entry.delivery_id) ?? null);
            expect(canonicalJson(completeChanges(entry))).toBe(expected);
            expect(texts.get(entry.seq)).toBe(expected);
          }
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)(
    'are those of the fold for records that are read, also after they were observed again',
    async () => {
      await fc.assert(
        fc.asyncProperty(mixedHistory(6).chain(reordered), async (observations) => {
          await emptyTables(opened.store);
          const merged = new Map<string, Changes | null>();
          for (const { fact, body } of observations) {
            if (body !== null) await ingestBodies(opened.store, [body], false);
            if (!fact.event.endsWith('.read')) continue;
            const read = recordOf(fact);
            const { changed } = await ingestRecords({ store: opened.store, screen }, [read], {
              source: 'reconcile',
              now: receivedAt,
            });
            const [first] = changed;
            if (first) merged.set(observedRecord({ ...read, event: fact.event }).id, first.changes);
          }
          for (const entry of await entries())
            if (merged.has(entry.delivery_id))
              expect(canonicalJson(completeChanges(entry))).toBe(canonicalJson(merged.get(entry.delivery_id)));
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)('leave long values to the body, and list of a long list what differs', async () => {
    const field = (index: number, value: string) => ({ uri: `${base}/fields/${index}`, label: 'Notes', value });
    const before = Array.from({ length: 8 }, (_, index) => field(index, `note ${index}`));
    const after = before.with(3, field(3, 'before'));
    const contact = { uri: `${base}/contacts/1`, name: 'Ada', company: 'Old', custom_fields: before };
    await ingestBodies(opened.store, [
      delivery('contact.created', 1, contact),
      delivery('contact.updated', 2, { ...contact, company: 'New', custom_fields: after }),
      delivery('contact.updated', 3, { ...contact, company: 'x'.repeat(300), custom_fields: after.slice(1) }),
      delivery('contact.updated', 4, { ...contact, company: null, custom_fields: [] }),
    ]);
    expect((await entries()).slice(1).map(({ changes }) => changes)).toEqual([
      { contacts: { company: ['Old', 'New'], custom_fields: { before: [before[3]], same: [3, 4] } } },
      { contacts: { company: { before: 'New' }, custom_fields: { before: [before[0]], same: [0, 7] } } },
      { contacts: { company: ['x'.repeat(300), null], custom_fields: [after.slice(1), []] } },
    ]);
    const complete = [
      { company: ['Old', 'New'], custom_fields: [before, after] },
      { company: ['New', 'x'.repeat(300)], custom_fields: [after, after.slice(1)] },
      { company: ['x'.repeat(300), null], custom_fields: [after.slice(1), []] },
    ].map((contacts) => ({ contacts }));
    expect((await fed()).slice(1).map(({ changes }) => changes)).toEqual(complete);
    expect((await entries()).slice(1).map(completeChanges)).toEqual(complete);
    // Without the body, what it showed is gone.
    await opened.store.db.updateTable('event_log').set({ body: null }).execute();
    expect((await fed()).slice(1, 3).map(({ changes }) => changes)).toEqual([
      { contacts: { company: ['Old', 'New'] } },
      null,
    ]);
  });

  it.runIf(available)(
    'of any two lists are complete when they are read',
    async () => {
      const notes = fc.constantFrom('a', 'b', 'c'.repeat(150));
      const fields = fc.array(fc.record({ uri: notes, label: notes, value: notes }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(fields, fields, async (before, after) => {
          await emptyTables(opened.store);
          const contact = { uri: `${base}/contacts/1`, name: 'Ada' };
          await ingestBodies(opened.store, [
            delivery('contact.created', 1, { ...contact, custom_fields: before }),
            delivery('contact.updated', 2, { ...contact, custom_fields: after }),
          ]);
          const isSame = canonicalJson(before) === canonicalJson(after);
          expect((await fed())[1]).toMatchObject({
            changes: isSame ? null : { contacts: { custom_fields: [before, after] } },
          });
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)('list the columns whose values are the time of observation, which may change', async () => {
    const record = { uri: invitee.uri, no_show: { uri: `${base}/invitee_no_shows/1` } };
    await ingestRecords({ store: opened.store, screen }, [{ kind: 'invitee', record, observed: at(1) }], {
      source: 'reconcile',
      now: receivedAt,
    });
    expect(await entries()).toMatchObject([{ changes: { invitees: { no_show_at: [null, at(1)] } } }]);
  });

  it.runIf(available)('stay removed, and show nothing where the body was removed', async () => {
    await ingestBodies(opened.store, [
      delivery('invitee.created', 1, invitee),
      delivery('contact.created', 1, { uri: `${base}/contacts/1`, name: 'Ada' }),
    ]);
    await opened.store.transaction((unit) => blankChanges(unit, [1]));
    await opened.store.db.updateTable('event_log').set({ body: null }).where('seq', '=', 2).execute();
    expect(await fed()).toMatchObject([{ changes: null, payload: invitee }, { changes: null }]);
  });

  it.runIf(available)('never show an erased person', async () => {
    const guests = { event_guests: [{ email: 'ada@example.test' }, { email: 'eve@example.test' }] };
    const bob = { uri: `${base}/invitees/2`, email: 'bob@example.test', scheduled_event: { ...meeting, ...guests } };
    await ingestBodies(opened.store, [delivery('invitee.created', 1, invitee), delivery('invitee.created', 2, bob)]);
    const { store } = opened;
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('ada@example.test'), { now: receivedAt });
    // A late delivery about both: the person is removed before it is stored.
    const other = {
      ...bob,
      uri: `${base}/invitees/3`,
      scheduled_event: { ...bob.scheduled_event, uri: `${base}/scheduled_events/2` },
    };
    await ingestBodies(store, [delivery('invitee.created', 3, other)]);
    const feed = await fed();
    expect(JSON.stringify(feed)).not.toContain('ada@example.test');
    expect(feed.at(-1)).toMatchObject({
      changes: { scheduled_events: { guests: [null, [{ email: 'eve@example.test' }]] } },
    });
  });

  it.runIf(available)('never show an erased person among the items of a long list', async () => {
    const guests = Array.from({ length: 8 }, (_, index) => ({ email: `guest-${index}@example.test` }));
    const bob = (event_guests: object[]) => ({
      uri: `${base}/invitees/2`,
      email: 'bob@example.test',
      scheduled_event: { ...meeting, event_guests },
    });
    await ingestBodies(opened.store, [
      delivery('invitee.created', 1, bob([...guests, { email: 'ada@example.test' }])),
      delivery('invitee.created', 2, bob([...guests, { email: 'eve@example.test' }])),
      delivery('invitee.created', 3, bob([{ email: 'eve@example.test' }, ...guests])),
    ]);
    expect((await entries())[1]).toMatchObject({
      changes: { scheduled_events: { guests: { before: [{ email: 'ada@example.test' }], same: [8, 0] } } },
    });
    const { store } = opened;
    const [, , kept] = await fed();
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('ada@example.test'), { now: receivedAt });
    expect(JSON.stringify(await fed())).not.toContain('ada@example.test');
    expect(JSON.stringify(await entries())).not.toContain('ada@example.test');
    expect(await fed()).toContainEqual(kept);
  });
});
