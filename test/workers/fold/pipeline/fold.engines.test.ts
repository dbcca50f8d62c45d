// The protocol of the fold: which steps it takes, in which order, and what the log and the rows hold afterwards.
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { fold, foldBatch, type FoldPolicy } from '#workers/fold/pipeline/fold.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { ingest, emptyTables, freshSqlite, freshPostgres, receivedAt, rowsOf } from '../../../harness/stores.ts';
import { parseBatch, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import { alreadyScreened, type Screen } from '#workers/fold/pipeline/screen.ts';
import { merge } from '#workers/fold/projections/merge.ts';

const uri = (id: string) => `https://api.example.test/contacts/${id}`;
const delivery = (id: string, name: string, event = 'contact.updated') => ({
  body: JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri: uri(id), name } }),
  receivedAt,
});
const batchOf = (...deliveries: object[]) => ({ v: 1, deliveries });
const itemsOf = (...deliveries: object[]) => parseBatch(batchOf(...deliveries), receivedAt);
const tombstone = (id: string) => ({
  subject: { table: 'contacts' as const, uri: uri(id) },
  assignments: [],
  tombstone: { table: 'contacts' as const, uri: uri(id), deletedAt: receivedAt, source: 'operator' as const },
});

/** A screen that notes its calls and does what a test asks for. */
function screenWith(changes: Partial<ReturnType<typeof alreadyScreened>> = {}): Screen & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    eraseOnDelete: true,
    async screen(_unit, items) {
      calls.push('screen');
      return {
        ...alreadyScreened(items),
        facts: changes.facts ?? [],
        async requireCurrent(unit) {
          calls.push('requireCurrent');
          await changes.requireCurrent?.(unit);
        },
        async redactor(unit, folded) {
          calls.push('redactor');
          return changes.redactor ? changes.redactor(unit, folded) : (entry) => entry;
        },
        async finish(_unit, folded) {
          calls.push(`finish ${folded.length}`);
          return true;
        },
      };
    },
    version: async () => '',
  };
}

const opened = openedOnce(freshSqlite);
afterEach(async () => {
  vi.restoreAllMocks();
  await emptyTables(opened.store);
});

const logged = async () =>
  (await rowsOf(opened.store, 'event_log')).map(({ outcome, duplicates, body }) => ({ outcome, duplicates, body }));

describe('the fold', () => {
  it('writes the rows and the entries, each with its outcome and its changes', async () => {
    const report = await ingest(
      { store: opened.store, screen: screenWith() },
      batchOf(delivery('1', 'Ada')),
      receivedAt,
    );
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([{ uri: uri('1'), name: 'Ada' }]);
    expect(report.entries).toMatchObject([{ outcome: 'applied', changes: { contacts: {} } }]);
    expect(await logged()).toMatchObject([{ outcome: 'applied', duplicates: 0 }]);
  });

  it('appends each delivery once and counts its copies, in one batch and in later ones', async () => {
    const needs = { store: opened.store, screen: screenWith() };
    const [ada, grace] = [delivery('1', 'Ada'), delivery('2', 'Grace')];
    expect(await ingest(needs, batchOf(ada, ada, grace), receivedAt)).toMatchObject({ duplicates: 1 });
    expect(await ingest(needs, batchOf(grace, ada), receivedAt)).toMatchObject({ entries: [], duplicates: 2 });
    expect(await logged()).toMatchObject([{ duplicates: 2 }, { duplicates: 1 }]);
  });

  it('screens first, locks the log and checks the screening before it writes it, and lets the screen finish last', async () => {
    const screen = screenWith();
    vi.spyOn(opened.store.engine, 'lock').mockImplementation(async (_db, what) => {
      screen.calls.push(`lock ${what}`);
    });
    const { hasRedacted } = await ingest(
      { store: opened.store, screen },
      batchOf(delivery('1', 'Ada'), delivery('2', 'Grace')),
      receivedAt,
    );
    expect(screen.calls).toEqual(['screen', 'lock log', 'requireCurrent', 'redactor', 'finish 2']);
    expect(hasRedacted).toBe(true);
  });

  it('stores nothing when the screening is outdated, and screens again', async () => {
    const errors = [
      new SlotstreamError('erased_meanwhile', 'A person was erased.'),
      new SlotstreamError('store_unavailable', 'The store is away.'),
    ];
    const screen = screenWith({
      async requireCurrent() {
        const error = errors.shift();
        if (error !== undefined) throw error;
      },
    });
    await expect(ingest({ store: opened.store, screen }, batchOf(delivery('1', 'Ada')), receivedAt)).rejects.toThrow(
      'The store is away.',
    );
    expect(screen.calls).toEqual(['screen', 'requireCurrent', 'screen', 'requireCurrent']);
    expect(await rowsOf(opened.store, 'contacts')).toEqual([]);
    expect(await logged()).toEqual([]);
  });

  it("merges the screen's own facts before those of the items", async () => {
    const screen = screenWith({ facts: [tombstone('1')] });
    const { entries } = await ingest({ store: opened.store, screen }, batchOf(delivery('1', 'Ada')), receivedAt);
    expect(entries).toMatchObject([{ outcome: 'tombstoned', changes: null }]);
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([{ name: null, deleted_source: 'operator' }]);
  });

  it('stores each entry as the screen redacts it', async () => {
    const screen = screenWith({
      redactor: async (_unit, { items, rows }) => {
        const body = `of ${items.length} with ${rows.size()} row`;
        return (entry) => ({ ...entry, body, redacted: true });
      },
    });
    await ingest({ store: opened.store, screen }, batchOf(delivery('1', 'Ada')), receivedAt);
    expect(await logged()).toMatchObject([{ outcome: 'applied', body: 'of 1 with 1 row' }]);
  });

  it('leaves the lock to a caller that has it, and throws when an item without a fact is refused', async () => {
    const screen = screenWith();
    const lock = vi.spyOn(opened.store.engine, 'lock');
    const refusals = ['refused'];
    const policyOf = (): FoldPolicy<ParsedItem, number> => ({
      apply: () => null,
      locksLog: false,
      async record(_unit, folded) {
        const refusal = refusals.pop();
        if (refusal !== undefined) throw new Error(refusal);
        return folded.length;
      },
    });
    const items = itemsOf({ body: 'no JSON', receivedAt });
    await expect(foldBatch({ store: opened.store, screen }, items, policyOf)).rejects.toThrow('refused');
    expect(await foldBatch({ store: opened.store, screen }, items, policyOf)).toMatchObject([{ report: 1 }]);
    expect(lock).not.toHaveBeenCalled();
  });

  it('leaves entries as they are that are already screened and whose outcome the policy keeps', async () => {
    const items = itemsOf(delivery('1', 'Ada'));
    const entries = await opened.store.transaction((unit) =>
      fold(unit, alreadyScreened(items), {
        apply: () => null,
        locksLog: false,
        record: async (_unit, folded) => folded.map(({ entry }) => entry),
      }),
    );
    expect(entries).toEqual({ report: items.map(({ entry }) => entry), hasRedacted: false });
  });

  it('hands the policy what is new, and quarantines the one item that is refused', async () => {
    const seen: unknown[] = [];
    const policyOf = (): FoldPolicy<ParsedItem, number> => ({
      apply: (rows, fact) => merge(rows, fact, { eraseOnDelete: true }),
      locksLog: true,
      async record(_unit, folded) {
        if (folded.some(({ item }) => item.fact?.subject.uri === uri('bad'))) throw new Error('refused');
        for (const { entry, effect, isNew } of folded)
          seen.push([entry.subject_uri, isNew, entry.outcome, effect?.outcome ?? entry.reason]);
        return folded.length;
      },
    });
    const needs = { store: opened.store, screen: screenWith() };
    const [one] = itemsOf(delivery('1', 'Ada'));
    if (one === undefined) throw new Error('nothing was parsed');
    await foldBatch(needs, [one], policyOf);
    await foldBatch(
      needs,
      [...itemsOf(delivery('1', 'Grace'), delivery('bad', 'Eve'), delivery('2', 'Joan'))],
      policyOf,
    );
    expect(seen).toEqual([
      [uri('1'), true, 'applied', 'applied'],
      [uri('1'), false, 'superseded', 'superseded'],
      [uri('bad'), false, 'quarantined', 'The store refused it (Error).'],
      [uri('2'), true, 'applied', 'applied'],
    ]);
    expect((await rowsOf(opened.store, 'contacts')).map((row) => row.uri).toSorted()).toEqual([uri('1'), uri('2')]);
  });
});

describe.runIf(inject('postgresUrl') !== '')('the fold on PostgreSQL', () => {
  it('appends a delivery without rows once when several workers ingest it at the same time', async () => {
    await using database = await freshPostgres();
    const workers = [database.store, await database.openAnother(), await database.openAnother()];
    const waiting = Promise.withResolvers<void>();
    let screened = 0;
    const screen: Screen = {
      ...screenWith(),
      async screen(_unit, items) {
        screened += 1;
        if (screened === workers.length) waiting.resolve();
        await waiting.promise;
        return alreadyScreened(items);
      },
    };
    const batch = batchOf({ body: 'no JSON', receivedAt });
    const reports = await Promise.all(workers.map((store) => ingest({ store, screen }, batch, receivedAt)));
    expect(reports.map(({ entries }) => entries.length).toSorted()).toEqual([0, 0, 1]);
    expect(await rowsOf(database.store, 'event_log')).toMatchObject([{ outcome: 'quarantined', duplicates: 2 }]);
  });
});
