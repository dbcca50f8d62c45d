// Readers that follow the log while many write, move and forget entries: each sees every entry once, in order, and none is missed.
import { describe, expect, it } from 'vitest';
import { readFeed } from '#src/feed/entry.ts';
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { lockLog } from '#src/store/locks.ts';
import type { FeedFilter } from '#src/store/log/feed.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { ingestBodies, receivedAt, rowsOf, availableEngines } from '../../../harness/stores.ts';

const screen = privacyScreen({ eraseOnDelete: true });
const contact = (n: number) => `https://api.example.test/contacts/${n}`;
const delivery = (event: string, n: number, name: string) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri: contact(n), name } });

/** Follows the log from its beginning until `finished` is called. */
function follow(store: Store, { filter = {}, limit }: { readonly filter?: FeedFilter; readonly limit: number }) {
  const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 2 });
  const seen: { readonly seq: number; readonly event: string | null }[] = [];
  const ended = new AbortController();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const reading = (async () => {
    for (let after = 0; ;) {
      const isLast = ended.signal.aborted;
      const { entries, nextAfter } = await readFeed(store, filter, { after, limit });
      seen.push(...entries.map(({ seq, event }) => ({ seq, event })));
      after = nextAfter;
      if (entries.length > 0) {
        begin();
        continue;
      }
      if (isLast) return;
      await tail.beyond(after, ended.signal);
    }
  })();
  return {
    /** When it has seen an entry. */
    begun,
    async finished() {
      ended.abort();
      await reading;
      tail.close();
      return seen;
    },
  };
}

for (const engine of availableEngines)
  describe(`many writers on ${engine.name}`, () => {
    const opened = openedAnew(engine.fresh);
    const rounds = engine.name === 'postgres' ? 20 : 8;

    /** Deliveries, a few of which end in quarantine, and are replayed by another process. */
    async function deliver(store: Store, writer: number): Promise<void> {
      for (let n = 0; n < rounds; n += 1) {
        const id = writer * 1_000 + n;
        await ingestBodies(store, [
          delivery('contact.updated', id, 'a'),
          delivery('contact.updated', id, 'b'),
          `broken ${id}`,
        ]);
      }
    }
    /** Reads; the second time with other content, so that they are appended again. */
    async function read(store: Store, writer: number): Promise<void> {
      for (let n = 0; n < rounds; n += 1) {
        const record = { uri: contact(writer * 1_000 + (n % 5)), name: `read ${n}`, updated_at: receivedAt };
        const records = [{ kind: 'contact' as const, record, observed: receivedAt }];
        await ingestRecords({ store, screen }, records, { source: 'reconcile', now: receivedAt });
      }
    }
    /** Makes entries look unread, so that replaying moves them to the end. */
    async function move(store: Store): Promise<void> {
      for (let n = 0; n < rounds / 2; n += 1) {
        await store.transaction(async (unit) => {
          await lockLog(unit);
          const some = unit.db
            .selectFrom('event_log')
            .select('seq')
            .where('outcome', '=', 'applied')
            .orderBy('seq')
            .limit(3);
          await unit.db.updateTable('event_log').set({ outcome: 'quarantined' }).where('seq', 'in', some).execute();
        });
        await replay({ store, screen }, { unprojected: true });
      }
    }

    it('make no reader miss or repeat an entry, whatever it asks for', async () => {
      const readers = await Promise.all(
        [{ limit: 7 }, { limit: 1_000 }, { limit: 3, filter: { events: ['contact.updated'] } }].map(async (how) =>
          follow(await opened.openAnother(), how),
        ),
      );
      const writers = await Promise.all(Array.from({ length: 6 }, () => opened.openAnother()));
      // Seen before it moves.
      await ingestBodies(opened.store, [delivery('contact.updated', 9_999, 'first')]);
      await Promise.all(readers.map((reader) => reader.begun));
      await Promise.all(
        writers.map((store, writer) => {
          if (writer === 5) return move(store);
          return writer === 4 ? read(store, writer) : deliver(store, writer);
        }),
      );
      const log = (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
      expect(log.length).toBeGreaterThan(4 * rounds * 3);
      const [small, large, filtered] = await Promise.all(readers.map((reader) => reader.finished()));
      for (const [seen, wanted] of [
        [small, log],
        [large, log],
        [filtered, log.filter(({ event }) => event === 'contact.updated')],
      ] as const) {
        const places = seen?.map(({ seq }) => seq) ?? [];
        // In order and none twice; entries that moved on since are seen at their last place too.
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        expect(places).toEqual(expect.arrayContaining(wanted.map(({ seq }) => Number(seq))));
      }
      expect(small?.some(({ seq }) => !log.some((entry) => entry['seq'] === seq))).toBe(true);
    });
  });
