// Two writers that create the same rows at once: the second goes on with what the first has committed, in the same transaction.
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import type { Store, Unit } from '#src/store/contract.ts';
import { ingestParsed } from '#workers/fold/pipeline/ingest.ts';
import { parseBatch, quarantined, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { Screen } from '#workers/fold/pipeline/screen.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { history } from '../../../harness/data/delivery-histories.ts';
import { until } from '../../../harness/ports.ts';
import {
  freshMemory,
  freshPostgres,
  ingestBodies,
  projectedRows,
  receivedAt,
  rowsOf,
} from '../../../harness/stores.ts';

const parsed = (bodies: readonly string[]) =>
  parseBatch({ v: 1, deliveries: bodies.map((body) => ({ body, receivedAt })) }, receivedAt);
const uriOf = (n: number) => `https://api.example.test/contacts/${n}`;
const contact = (n: number, name: string, second = 10) =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: `2025-04-14T11:43:${second}Z`,
    payload: { uri: uriOf(n), name },
  });

describe.runIf(inject('postgresUrl') !== '')('a fold that meets a row which another one has just created', () => {
  it('merges into that row without beginning again, and records what it changed there', async () => {
    await using opened = await freshPostgres();
    await ingestBodies(opened.store, [contact(0, 'old')]);
    const first = await heldUp(await opened.openAnother(), parsed([contact(1, 'first')]));
    const { store, begun } = counted(await opened.openAnother());
    const second = ingestBodies(store, [
      contact(0, 'new', 20),
      contact(1, 'second', 20),
      contact(2, 'third'),
      contact(2, 'third'),
      // Another copy of what the first one holds.
      contact(1, 'first'),
    ]);
    await untilOneWaits(opened.store);
    await first.commit();

    expect((await second).duplicates).toBe(2);
    expect(begun).toHaveLength(1);
    const entries = await rowsOf(opened.store, 'event_log');
    const log = entries
      .toSorted((a, b) => Number(a['seq']) - Number(b['seq']))
      .map(({ subject_uri: uri, outcome, changes, duplicates }) => ({ uri, outcome, changes, duplicates }));
    const applied = { outcome: 'applied', duplicates: 0 };
    expect(log).toEqual([
      { ...applied, uri: uriOf(0), changes: { contacts: {} } },
      { ...applied, uri: uriOf(1), changes: { contacts: {} }, duplicates: 1 },
      { ...applied, uri: uriOf(0), changes: { contacts: { name: ['old', 'new'] } } },
      { ...applied, uri: uriOf(1), changes: { contacts: { name: ['first', 'second'] } } },
      { ...applied, uri: uriOf(2), changes: { contacts: {} }, duplicates: 1 },
    ]);
  });

  it.each([true, false])(
    'ends in the rows of one writer, whatever both hold (statements sent at once: %s)',
    async (atOnce) => {
      const bodies = fc
        .sample(history(40), { numRuns: 3, seed: 7 })
        .flat()
        .map(({ body }) => body);
      await using alone = await freshMemory();
      await ingestBodies(alone.store, bodies);
      await using opened = await freshPostgres();
      const first = await heldUp(await opened.openAnother(), parsed(bodies.filter((_, index) => index % 3 === 0)));
      const { store, begun } = counted(await opened.openAnother(), { atOnce });
      const second = ingestBodies(store, bodies.toReversed());
      await untilOneWaits(opened.store);
      await first.commit();
      await second;

      expect(begun).toHaveLength(1);
      expect(await projectedRows(opened.store)).toEqual(await projectedRows(alone.store));
    },
  );

  it('begins again when a third one holds that row: the two could wait for each other', async () => {
    await using opened = await freshPostgres();
    const first = await heldUp(await opened.openAnother(), parsed([contact(1, 'first')]));
    const third = await opened.openAnother();
    const isHeld = Promise.withResolvers<void>();
    const { store, begun } = counted(await opened.openAnother(), { secondRead: isHeld.promise });
    const second = ingestBodies(store, [contact(1, 'second', 20), contact(2, 'third')]);
    await untilOneWaits(opened.store);
    await first.commit();
    await third.transaction(async ({ db }) => {
      await sql`select uri from ${sql.table('contacts')} where uri = ${uriOf(1)} for update`.execute(db);
      isHeld.resolve();
      await until(() => begun.length === 2, 'the second writer begins again');
    });
    await second;

    expect(begun).toHaveLength(2);
    expect((await rowsOf(opened.store, 'contacts')).map(({ name }) => name).toSorted()).toEqual(['second', 'third']);
  });

  it('begins again when a row that it has inserted would get other values: the other one has a copy of its delivery in quarantine', async () => {
    await using opened = await freshPostgres();
    const [one, two] = [contact(1, 'first'), contact(2, 'third')];
    const copies = parsed([two]).map((item) => quarantined(item, 'It was refused.'));
    const first = await heldUp(await opened.openAnother(), [...parsed([one]), ...copies]);
    const { store, begun } = counted(await opened.openAnother());
    const second = ingestBodies(store, [contact(1, 'second', 20), two]);
    await untilOneWaits(opened.store);
    await first.commit();
    await second;

    expect(begun).toHaveLength(2);
    expect((await rowsOf(opened.store, 'contacts')).map(({ name }) => name)).toEqual(['second']);
    const held = (await rowsOf(opened.store, 'event_log')).filter(({ outcome }) => outcome === 'quarantined');
    expect(held).toMatchObject([{ subject_uri: uriOf(2), duplicates: 1 }]);
  });
});

/** A writer that has written everything and does not commit yet. */
async function heldUp(store: Store, items: readonly ParsedItem[]): Promise<{ commit(): Promise<unknown> }> {
  const written = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const screen = privacyScreen({ eraseOnDelete: true });
  const holding: Screen = {
    ...screen,
    async screen(unit, items) {
      const screened = await screen.screen(unit, items);
      const finish: typeof screened.finish = async (...given) => {
        const result = await screened.finish(...given);
        written.resolve();
        await mayCommit.promise;
        return result;
      };
      return { ...screened, finish };
    },
  };
  const ingested = ingestParsed({ store, screen: holding }, items);
  await Promise.race([written.promise, ingested]);
  return {
    commit() {
      mayCommit.resolve();
      return ingested;
    },
  };
}

interface Counting {
  /** What the second read of the rows waits for. */
  readonly secondRead?: Promise<void>;
  /** Whether statements that do not need each other's results are sent at once; through a pooler they are not. */
  readonly atOnce?: boolean;
}

/** The store with a list of the transactions that were begun. */
function counted(
  store: Store,
  { secondRead, atOnce = true }: Counting = {},
): { readonly store: Store; readonly begun: readonly Unit[] } {
  const begun: Unit[] = [];
  const transaction: Store['transaction'] = (work) =>
    store.transaction((unit) => {
      begun.push(unit);
      const run: typeof unit.engine.run = async (db, statement) => {
        if (statement.sql.includes('skip locked')) await secondRead;
        return unit.engine.run(db, statement);
      };
      const pipelines: typeof unit.engine.pipelines = (db) => atOnce && unit.engine.pipelines(db);
      return work({ ...unit, engine: { ...unit.engine, run, pipelines } });
    });
  return { store: { ...store, transaction }, begun };
}

/** Waits until a writer waits for a row that another one has inserted. */
function untilOneWaits({ db }: Store): Promise<void> {
  return until(async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into%'`.execute(db);
    return Number(rows[0]?.waiting) > 0;
  }, 'one writer waits for the other');
}
