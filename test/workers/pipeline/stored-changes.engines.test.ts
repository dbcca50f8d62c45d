// What the log stores about the changes of an entry, and readers get as it is: nothing of a created row, whole values otherwise.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { canonicalJson, propertyOf, type JsonObject } from '#schemas/wire.ts';
import { isCreated } from '#src/base/changed-items.ts';
import { readFeed } from '#src/feed/entry.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { entriesAt, blankChanges } from '#src/store/log/retention.ts';
import { blankEntry, parseText } from '#workers/pipeline/parse.ts';
import { longestValue, storedChanges } from '#workers/pipeline/stored-changes.ts';
import { erase } from '#workers/privacy/erase.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { targetOf } from '#workers/privacy/target.ts';
import type { Changes, Effect } from '#workers/projections/merge.ts';
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
const withoutCreated = ({ changes, created }: Pick<Effect, 'changes' | 'created'>) =>
  changes &&
  Object.fromEntries(
    Object.entries(changes).map(([table, columns]) => [table, created.includes(table) ? {} : columns]),
  );

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

  it.runIf(available)('name the table of a row that an entry created, without columns', async () => {
    await ingestBodies(opened.store, [delivery('invitee.created', 1, invitee)]);
    const later = { ...invitee, uri: `${base}/invitees/2`, scheduled_event: { ...meeting, name: 'Call' } };
    await ingestBodies(opened.store, [delivery('invitee.created', 2, later)]);
    const stored = [
      { invitees: {}, scheduled_events: {} },
      { invitees: {}, scheduled_events: { name: ['Intro', 'Call'] } },
    ];
    expect((await entries()).map(({ changes }) => changes)).toEqual(stored);
    expect((await fed()).map(({ changes }) => changes)).toEqual(stored);
    const explained = await explain(opened.store, { uri: meeting.uri, after: 0, limit: 10 });
    expect(explained?.deliveries.map(({ changes }) => changes)).toEqual(stored);
    expect(explained?.fields).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          column: 'name',
          value: 'Call',
          since: expect.objectContaining({ seq: 2 }) as object,
        }),
        expect.objectContaining({ column: 'status', since: expect.objectContaining({ seq: 1 }) as object }),
      ]) as unknown[],
    );
  });

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
            const effect = effects[index];
            if (!merged.has(id)) merged.set(id, effect ? withoutCreated(effect) : null);
          }
          const log = await entries();
          const texts = new Map((await fed()).map(({ seq, changes }) => [seq, canonicalJson(changes)]));
          for (const entry of log) {
            const expected = canonicalJson(merged.get(entry.delivery_id) ?? null);
            expect(canonicalJson(entry.changes)).toBe(expected);
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
            if (merged.has(entry.delivery_id)) {
              const expected = merged.get(entry.delivery_id) ?? {};
              const created = Object.keys(expected).filter((table) => isCreated(propertyOf(entry.changes, table)));
              expect(canonicalJson(entry.changes ?? {})).toBe(
                canonicalJson(withoutCreated({ changes: expected, created })),
              );
            }
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)('have the length in place of a value that is longer than the limit', async () => {
    const contact = { uri: `${base}/contacts/1`, name: 'Ada', company: 'Old' };
    const [longest, longer] = ['x'.repeat(longestValue - 2), 'ada@example.test '.repeat(300)];
    await ingestBodies(opened.store, [
      delivery('contact.created', 1, contact),
      delivery('contact.updated', 2, { ...contact, company: longest }),
      delivery('contact.updated', 3, { ...contact, company: longer }),
    ]);
    expect((await fed()).slice(1).map(({ changes }) => changes)).toEqual([
      { contacts: { company: ['Old', longest] } },
      { contacts: { company: [longest, `… (${longer.length + 2} characters)`] } },
    ]);
  });

  it('of a table are those of the merge, and nothing where it changed nothing', () => {
    expect(storedChanges({ changes: null, created: [] })).toBeNull();
    const changes: Changes = { contacts: { name: [null, 'Ada'] }, users: { name: ['Bo', 'Bob'] } };
    expect(storedChanges({ changes, created: ['contacts'] })).toEqual({ contacts: {}, users: { name: ['Bo', 'Bob'] } });
  });

  it.runIf(available)(
    'of any two lists have both',
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

  it.runIf(available)('stay removed', async () => {
    await ingestBodies(opened.store, [
      delivery('invitee.created', 1, invitee),
      delivery('contact.created', 1, { uri: `${base}/contacts/1`, name: 'Ada' }),
    ]);
    await opened.store.transaction((unit) => blankChanges(unit, [1]));
    expect(await fed()).toMatchObject([{ changes: null, payload: invitee }, { changes: { contacts: {} } }]);
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
      payload: { scheduled_event: { event_guests: [{ email: 'eve@example.test' }] } },
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
      changes: { scheduled_events: { guests: [[...guests, { email: 'ada@example.test' }], expect.any(Array)] } },
    });
    const { store } = opened;
    const [, , kept] = await fed();
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('ada@example.test'), { now: receivedAt });
    expect(JSON.stringify(await fed())).not.toContain('ada@example.test');
    expect(JSON.stringify(await entries())).not.toContain('ada@example.test');
    expect(await fed()).toContainEqual(kept);
  });
});
