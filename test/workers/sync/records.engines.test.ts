// Records read from the API, on each store: they repair rows and the log does not grow, whether forged, malformed, written by several at
// once, or read again while a rebuild runs.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import type { RecordKind } from '#schemas/records.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { openedAnew } from '../../harness/opened.ts';
import { ingestBodies, projectedRows, receivedAt, rowsOf, storeEngines } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const at = (seconds: number) => new Date(Date.UTC(2025, 3, 14, 11, 43, seconds)).toISOString().replace('Z', '000Z');
const screen = privacyScreen({ eraseOnDelete: true });
const uriOf = (n: number) => `${base}/contacts/${n}`;
const person = (n: number, name = `n${n}`): JsonObject => ({
  uri: uriOf(n),
  name,
  emails: [{ email: `p${n}@example.test`, is_primary: true }],
  updated_at: at(0),
});

function read(store: Store, records: readonly JsonObject[], { kind = 'contact' as RecordKind, seconds = 10 } = {}) {
  const seen = records.map((record) => ({ kind, record, observed: at(seconds) }));
  return ingestRecords({ store, screen }, seen, { source: 'backfill', now: receivedAt });
}

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the records of ${engine.name}`, () => {
    const opened = openedAnew(engine.fresh);
    afterEach(async () => {
      // Whatever a test did, the log is the truth about it.
      const { rowsDiffered } = await rebuild({ store: opened.store, screen });
      if (rowsDiffered > 0) throw new Error(`A rebuild found ${rowsDiffered} rows to change.`);
    });
    const log = async () =>
      (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));

    it('are not accepted from a webhook: such a kind is unknown, also when replayed', async () => {
      const { store } = opened;
      for (const event of ['contact.read', 'contact.gone', 'user.read']) {
        await ingestBodies(store, [JSON.stringify({ event, created_at: at(1), payload: person(1) })]);
        // The very body that a read would have.
        await ingestBodies(store, [JSON.stringify({ event, payload: person(1) })]);
      }
      await replay({ store, screen }, {});
      const outcomes = (await log()).map(({ source, outcome }) => `${source} ${outcome}`);
      expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'webhook unhandled'));
      expect(await projectedRows(store)).toEqual({});
      expect(await read(store, [person(1)])).toMatchObject({ created: 1 });
    });

    it('are one entry however often the same content is read; it is observed at the latest time', async () => {
      const { store } = opened;
      await read(store, [person(1)]);
      const once = await log();
      for (const seconds of [20, 15])
        expect(await read(store, [person(1)], { seconds })).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
      expect(await log()).toEqual([{ ...once[0], occurred_at: at(20) }]);
      expect(await rowsOf(store, 'contacts')).toMatchObject([{ as_of: at(20) }]);
    });

    it('repair a lost unmark, also with content read before; its entry then moves to the end of the log', async () => {
      const { store } = opened;
      const invitee = { uri: `${base}/scheduled_events/1/invitees/1`, status: 'active', updated_at: at(1) };
      const mark = { uri: `${base}/invitee_no_shows/1`, created_at: at(5) };
      const seen = (seconds: number) => read(store, [{ ...invitee, no_show: null }], { kind: 'invitee', seconds });
      await seen(3);
      const payload = { ...invitee, no_show: mark };
      await ingestBodies(store, [JSON.stringify({ event: 'invitee_no_show.created', created_at: at(5), payload })]);
      expect(await rowsOf(store, 'invitees')).toMatchObject([{ no_show_uri: mark.uri }]);
      expect(await seen(8)).toMatchObject({
        updated: 1,
        changed: [{ uri: invitee.uri, how: 'updated', changes: { invitees: { no_show_uri: [mark.uri, null] } } }],
      });
      expect(await rowsOf(store, 'invitees')).toMatchObject([{ no_show_uri: null }]);
      expect(await log()).toMatchObject([
        { event: 'invitee_no_show.created' },
        { event: 'invitee.read', occurred_at: at(8), outcome: 'applied' },
      ]);
    });

    it('without a URI are kept with the reason, once, and counted each time', async () => {
      const { store } = opened;
      const odd = { ...person(1), uri: 'none' };
      expect(await read(store, [odd, person(2), odd])).toMatchObject({ created: 1, quarantined: 2 });
      expect(await read(store, [odd, { name: 'no uri' }], { seconds: 20 })).toMatchObject({
        quarantined: 2,
        unchanged: 0,
      });
      expect((await log()).map(({ outcome, reason, occurred_at }) => [outcome, reason, occurred_at])).toEqual([
        ['quarantined', 'payload.uri: expected an http(s) URI of at most 1,024 characters', at(20)],
        ['applied', null, at(10)],
        ['quarantined', 'payload.uri: expected string', at(20)],
      ]);
    });

    it('are the same however many read them at once, beside deliveries about the same contacts', async () => {
      const page = Array.from({ length: 60 }, (_, n) => person(n));
      const sent = page.map((payload) => JSON.stringify({ event: 'contact.updated', created_at: at(12), payload }));
      const others = [opened.store, await opened.openAnother(), await opened.openAnother()];
      await Promise.all(
        others.map(async (store, index) => {
          for (let round = 0; round < 3; round += 1) {
            await read(store, index % 2 ? page.toReversed() : page, { seconds: 10 + index * 3 + round });
            await ingestBodies(store, sent.slice(index * 10));
          }
        }),
      );
      const reads = (await log()).filter(({ event }) => event === 'contact.read');
      expect(reads).toHaveLength(60);
      expect(new Set(reads.map(({ occurred_at }) => occurred_at))).toEqual(new Set([at(18)]));
      expect(new Set((await rowsOf(opened.store, 'contacts')).map(({ as_of }) => as_of))).toEqual(new Set([at(18)]));
    });

    it('read again while a rebuild runs are not set back by it', async () => {
      const { store } = opened;
      const page = Array.from({ length: 600 }, (_, n) => person(n));
      await read(store, page);
      const other = await opened.openAnother();
      let meanwhile: Promise<unknown> | undefined;
      await rebuild({
        store,
        screen,
        onProgress: () => (meanwhile ??= read(other, page.slice(0, 50), { seconds: 40 })),
      });
      await meanwhile;
      const later = (await rowsOf(store, 'contacts')).filter(({ as_of }) => as_of === at(40));
      expect(later).toHaveLength(50);
    });

    it('with text that no database holds are kept in text that it does', async () => {
      const { store } = opened;
      expect(await read(store, [person(1, 'a\u0000b\ud800')])).toMatchObject({ created: 1 });
      expect(await read(store, [person(1, 'a\u0000b\ud800')], { seconds: 20 })).toMatchObject({ unchanged: 1 });
      expect(await rowsOf(store, 'contacts')).toMatchObject([{ name: 'a\uFFFDb\uFFFD', as_of: at(20) }]);
    });
  });
