// The search of the log on every store, compared with a model that looks at every entry.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { countDeliveries, entriesMatching, readDeliveries, type DeliveryLine } from '#src/store/log/log-search.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { blankEntry } from '#workers/fold/pipeline/parse.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { runs } from '../../../harness/runs.ts';
import { availableEngines } from '../../../harness/stores.ts';

const beginMs = Date.UTC(2025, 3, 1);
const minuteMs = 60_000;
const readEvents = ['contact.read', 'user.read', 'contact.gone', null];
const events = ['contact.created', 'contact.updated', 'invitee.created', 'invitee_no_show.created', 'odd_kind', null];
const outcomes = ['applied', 'applied', 'unchanged', 'quarantined', 'unhandled'] as const;
const sources = ['webhook', 'webhook', 'backfill'] as const;
const subjects = [0, 1, 2, 3].map((n) => `https://api.example.test/contacts/${n}`);
const words = ['Grüße', '100%', 'under_score', 'back\\slash', 'Ada', 'ADA LOVELACE'];

type Entry = NewEntry & { readonly seq: number };

/**
 * Far apart, so that a search reads the log in many parts; received in nearly that order, but for those at the end, which a replay has
 * moved there.
 */
function entryAt(n: number): Entry {
  const pick = <Item>(items: readonly Item[], salt: number): Item =>
    items[Math.floor(Math.abs(Math.sin(n * 7.1 + salt)) * 1e6) % items.length] as Item;
  const outcome = pick(outcomes, 1);
  const source = pick(sources, 3);
  const jitter = (n * 7919) % 40;
  return {
    ...blankEntry,
    seq: n * 211,
    delivery_id: `delivery-${n}`,
    event: pick(source === 'webhook' ? events : readEvents, 2),
    source,
    subject_uri: pick([...subjects, null], 4),
    outcome,
    reason: outcome === 'quarantined' ? `payload.name: expected ${pick(['string', 'object'], 5)}` : null,
    received_at: instantOf(beginMs + ((n > 270 ? n - 260 : n) * 10 + jitter) * minuteMs),
    body: n % 17 === 0 ? null : JSON.stringify({ word: pick(words, 6), n }),
    tie: '0'.repeat(16),
  };
}

const entries = Array.from({ length: 300 }, (_, index) => entryAt(index + 1));

function matches(filter: DeliveryFilter, entry: Entry): boolean {
  const { event, text, minReceivedAt: from = '', maxReceivedAt: to = '9' } = filter;
  const isKind = event?.endsWith('*')
    ? (entry.event?.startsWith(event.slice(0, -1)) ?? false)
    : event === undefined || entry.event === event;
  const lower = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const texts = [entry.body, entry.reason, entry.subject_uri].map((value) => lower(value ?? ''));
  return (
    isKind &&
    [undefined, entry.outcome].includes(filter.outcome) &&
    (filter.source === undefined || filter.source === entry.source) &&
    (filter.subjectUri === undefined || filter.subjectUri === entry.subject_uri) &&
    (filter.reason === undefined || filter.reason === entry.reason) &&
    (!filter.unprojected || entry.outcome === 'quarantined' || entry.outcome === 'unhandled') &&
    (!filter.hasBody || entry.body !== null) &&
    entry.received_at >= from &&
    entry.received_at < to &&
    entry.seq >= (filter.minSeq ?? 0) &&
    entry.seq <= (filter.maxSeq ?? Infinity) &&
    (text === undefined || texts.some((value) => value.includes(lower(text))))
  );
}

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const time = fc.integer({ min: -100, max: 3_300 }).map((minutes) => instantOf(beginMs + minutes * minuteMs));
const seq = fc.integer({ min: 1, max: 70_000 });
const filters: fc.Arbitrary<DeliveryFilter> = fc.record({
  event: some(fc.constantFrom('contact.*', 'invitee.*', 'invitee*', '*', 'contact.created', 'none.*', 'none')),
  outcome: some(fc.constantFrom(...outcomes)),
  source: some(fc.constantFrom(...sources)),
  subjectUri: fc.option(fc.constantFrom(...subjects), { nil: undefined, freq: 1 }),
  reason: fc.option(fc.constant('payload.name: expected string'), { nil: undefined, freq: 1 }),
  unprojected: fc.constantFrom(false, false, true),
  hasBody: fc.boolean(),
  minReceivedAt: some(time),
  maxReceivedAt: some(time),
  minSeq: fc.option(seq, { nil: undefined, freq: 1 }),
  maxSeq: fc.option(seq, { nil: undefined, freq: 1 }),
  text: some(fc.constantFrom('ada', 'GRÜ', 'grü', '%', 'r_s', '\\s', 'contacts/1', 'Expected', '"n":2')),
});

async function insert({ db, engine }: Store, all: readonly Entry[]): Promise<void> {
  const rows = all.map((entry) => ({ ...entry, changes: null, redacted: engine.encode('flag', false) }));
  for (let n = 0; n < rows.length; n += 50)
    await db
      .insertInto('event_log')
      .values(rows.slice(n, n + 50) as never)
      .execute();
}

for (const engine of availableEngines)
  describe(`the search of the log on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);
    beforeAll(() => insert(opened.store, entries));

    /** Every page, each of which may end early. */
    async function traverse(
      filter: DeliveryFilter,
      { newer, limit, stops }: { newer: boolean; limit: number; stops: boolean },
    ) {
      const found: DeliveryLine[] = [];
      let from: number | undefined = newer ? 0 : undefined;
      for (;;) {
        const page = await readDeliveries(opened.store, filter, { from, newer, limit, mayContinue: () => !stops });
        found.push(...page.lines);
        if (page.stoppedAt === undefined && page.lines.length < limit) return found.map((line) => line.seq);
        from = page.lines.length < limit ? page.stoppedAt : page.lines.at(-1)?.seq;
      }
    }

    it('finds every matching entry once, in order, in either direction, whatever the pages and wherever they stop', async () => {
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.record({ newer: fc.boolean(), limit: fc.integer({ min: 1, max: 400 }), stops: fc.boolean() }),
          async (filter, way) => {
            const expected = entries.filter((entry) => matches(filter, entry)).map((entry) => entry.seq);
            expect(await traverse(filter, way)).toEqual(way.newer ? expected : expected.toReversed());
            const read: number[] = [];
            for await (const batch of entriesMatching(opened.store, filter)) read.push(...batch.map(({ seq }) => seq));
            expect(read).toEqual(expected);
          },
        ),
        runs(40),
      );
    });

    it('counts what it finds, and says when it has not counted all', async () => {
      const quarantined = entries.filter(({ outcome }) => outcome === 'quarantined').length;
      const unhandled = entries.filter(({ outcome }) => outcome === 'unhandled').length;
      expect(
        await countDeliveries(opened.store, { unprojected: true }, { most: 1_000, mayContinue: () => true }),
      ).toEqual({
        count: quarantined + unhandled,
        byOutcome: { quarantined, unhandled },
        isComplete: true,
      });
      expect(await countDeliveries(opened.store, {}, { most: 3, mayContinue: () => true })).toMatchObject({
        count: 4,
        isComplete: false,
      });
      const part = await countDeliveries(opened.store, { text: 'ada' }, { most: 1_000, mayContinue: () => false });
      expect(part.isComplete).toBe(false);
      expect(part.count).toBeLessThan(entries.filter((entry) => matches({ text: 'ada' }, entry)).length);
    });
  });
