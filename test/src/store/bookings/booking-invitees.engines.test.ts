// Which invitees are one booking, kept by the transaction that writes them: for any links in any order and any batches, the table is what
// the rules of chains say of all invitees. Links that two or three writers bring at once make one booking too.
import fc, { type Arbitrary } from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { bookingInviteesOf, type LinkedInvitee } from '#src/store/bookings/chains.ts';
import type { Store } from '#src/store/contract.ts';
import { writeRows } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { ingestObservations } from '../../../harness/data/api-reads.ts';
import { cut, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { until } from '../../../harness/ports.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { availableEngines, emptyTables, freshPostgres, ingestBodies, rowsOf } from '../../../harness/stores.ts';
import { expectedBookingInvitees } from '../../../oracle/booking-invitees.ts';

const uri = (id: string): string => `https://api.example.test/scheduled_events/E/invitees/${id}`;
const idOf = (given: unknown): string => String(given).slice(uri('').length);
const at = (second: number): string => `2025-01-01T00:00:0${second}.000000Z`;
const later = '2025-01-02T00:00:00.000000Z';

type Row = TableRow<'booking_invitees'>;
const byKey = (rows: readonly Row[]) => rows.toSorted((a, b) => (a.invitee_uri < b.invitee_uri ? -1 : 1));
const tableOf = async (store: Store): Promise<readonly Row[]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rows of this table
  byKey((await rowsOf(store, 'booking_invitees')) as unknown as Row[]);

/** `B of A: 2 of 2, last, 1 move`. */
const shown = async (store: Store): Promise<readonly string[]> =>
  (await tableOf(store)).map((row) => {
    const place = row.mirrored ? `${row.position} of ${row.count}` : `missing beside ${row.count}`;
    const ends = [row.is_first ? 'first' : [], row.is_last ? 'last' : []].flat();
    const moves = `${row.moves} ${row.moves === 1 ? 'move' : 'moves'}`;
    return `${idOf(row.invitee_uri)} of ${idOf(row.booking_uri)}: ${[place, ...ends, moves].join(', ')}`;
  });

/** What the rules say of all invitees, without anything that was computed before. */
async function expected(store: Store): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rows of this table
  return byKey(bookingInviteesOf((await rowsOf(store, 'invitees')) as unknown as LinkedInvitee[]));
}

/** What the model says, which shares no code with the rules. */
async function byModel(store: Store): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rows of this table
  return byKey(expectedBookingInvitees(await rowsOf(store, 'invitees')) as unknown as Row[]);
}

const ids = ['A', 'B', 'C', 'D', 'E'];
const link = fc.option(fc.constantFrom(...ids.map(uri), uri('unseen'), ''), { freq: 2 });
const invitee = fc.record(
  {
    uri: fc.constantFrom(...ids.map(uri)),
    email: fc.constantFrom('ada@example.test', 'ben@example.test'),
    old_invitee: link,
    new_invitee: link,
    rescheduled: fc.constantFrom(true, false, null),
    created_at: fc.option(fc.nat(3).map(at)),
    updated_at: fc.nat(9).map(at),
  },
  { requiredKeys: ['uri', 'updated_at'] },
);

const observed: Arbitrary<Observation> = fc
  .tuple(fc.constantFrom('invitee.created', 'invitee.canceled', 'invitee.read'), invitee, fc.nat(9).map(at))
  .map(([event, payload, created_at]) => ({
    fact: { event, created_at, payload, sound: true },
    body: event === 'invitee.read' ? null : JSON.stringify({ event, created_at, payload }),
  }));

/** Some of them are seen twice. After one batch, a person may be erased. */
const arrivals = fc
  .array(observed, { minLength: 1, maxLength: 20 })
  .chain((observations) => fc.record({ batches: reordered(observations).chain(cut), erasedAfter: fc.nat(12) }));

const needsOf = (store: Store) => ({ store, screen: privacyScreen({ eraseOnDelete: true }) });

const body = (id: string, more: object = {}, second = 0): string =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: later,
    payload: { uri: uri(id), created_at: at(0), updated_at: at(second), ...more },
  });
const from = (id: string) => ({ old_invitee: uri(id) });
const to = (id: string) => ({ new_invitee: uri(id) });

/** The statements about the table in one batch. */
async function statementsOf(store: Store, bodies: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  const transaction: Store['transaction'] = (work) =>
    store.transaction((unit) => {
      const run: typeof unit.engine.run = (db, statement) => {
        if (/"booking_invitees"/.test(statement.sql)) texts.push(statement.sql.split(' ', 1)[0] ?? '');
        return unit.engine.run(db, statement);
      };
      const insert: typeof unit.engine.insert = (inserted, rows, given) => {
        if (given.table === 'booking_invitees' && rows.length > 0) texts.push(`insert ${rows.length}`);
        return unit.engine.insert({ ...inserted, engine: unit.engine }, rows, given);
      };
      return work({ ...unit, engine: { ...unit.engine, run, insert } });
    });
  await ingestBodies({ ...store, transaction }, bodies);
  return texts;
}

describe.each(availableEngines)(
  'the invitees of bookings on $name',
  { timeout: propertyTimeoutMs },
  ({ name, fresh }) => {
    const opened = openedOnce(fresh);
    beforeEach(() => emptyTables(opened.store));

    it('are what the rules of chains say, after every batch, and what a rebuild makes', async () => {
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(arrivals, async ({ batches, erasedAfter }) => {
          await emptyTables(store);
          for (const [index, batch] of batches.entries()) {
            await ingestObservations(store, batch);
            if (index === erasedAfter) await eraseFrom(store, 'ada@example.test', { now: later });
            const table = await tableOf(store);
            expect(table).toEqual(await expected(store));
            expect(table).toEqual(await byModel(store));
          }
          expect(await rebuild(needsOf(store))).toMatchObject({ rowsDiffered: 0 });
        }),
        runs(name === 'sqlite' ? 60 : 25),
      );
    });

    it('have no row where no link names them, not even if they were moved', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('A', { rescheduled: true }), body('B', { old_invitee: '', new_invitee: null })]);
      expect(await shown(store)).toEqual([]);
    });

    it('are one booking whichever end arrives first, and whichever names the other', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('B', from('A'))]);
      expect(await shown(store)).toEqual(['A of A: missing beside 1, 1 move', 'B of A: 1 of 1, first, last, 1 move']);
      await ingestBodies(store, [body('A')]);
      expect(await shown(store)).toEqual(['A of A: 1 of 2, first, 1 move', 'B of A: 2 of 2, last, 1 move']);
      await ingestBodies(store, [body('C', to('D'))]);
      await ingestBodies(store, [body('D')]);
      expect((await shown(store)).slice(2)).toEqual(['C of C: 1 of 2, first, 1 move', 'D of C: 2 of 2, last, 1 move']);
    });

    it('are one booking across one that is not mirrored', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('A', to('B')), body('C', from('B'))]);
      expect(await shown(store)).toEqual([
        'A of A: 1 of 2, first, 2 moves',
        'B of A: missing beside 2, 2 moves',
        'C of A: 2 of 2, last, 2 moves',
      ]);
      await ingestBodies(store, [body('B')]);
      expect(await shown(store)).toEqual([
        'A of A: 1 of 3, first, 2 moves',
        'B of A: 2 of 3, 2 moves',
        'C of A: 3 of 3, last, 2 moves',
      ]);
    });

    it('have a last one where the newest is not mirrored', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('A'), body('B', { ...from('A'), ...to('C') })]);
      expect(await shown(store)).toEqual([
        'A of A: 1 of 2, first, 2 moves',
        'B of A: 2 of 2, last, 2 moves',
        'C of A: missing beside 2, 2 moves',
      ]);
    });

    it('begin a circle at its first URI, and may name themselves', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('B', from('A')), body('C', from('B')), body('A', from('C'))]);
      await ingestBodies(store, [body('X', from('X')), body('Y', to('Y'))]);
      expect(await shown(store)).toEqual([
        'A of A: 1 of 3, first, 2 moves',
        'B of A: 2 of 3, 2 moves',
        'C of A: 3 of 3, last, 2 moves',
        'X of X: 1 of 1, first, last, 0 moves',
        'Y of Y: 1 of 1, first, last, 1 move',
      ]);
    });

    it('are bookings of their own once the link is cleared, and another booking once it is changed', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('A'), body('B', from('A')), body('C', from('B')), body('D')]);
      await ingestBodies(store, [body('B', from('D'), 1)]);
      expect(await shown(store)).toEqual([
        'B of D: 2 of 3, 2 moves',
        'C of D: 3 of 3, last, 2 moves',
        'D of D: 1 of 3, first, 2 moves',
      ]);
      await ingestBodies(store, [body('B', { old_invitee: null }, 2)]);
      expect(await shown(store)).toEqual(['B of B: 1 of 2, first, 1 move', 'C of B: 2 of 2, last, 1 move']);
      await ingestBodies(store, [body('C', { old_invitee: '' }, 3)]);
      expect(await shown(store)).toEqual([]);
    });

    it('join two bookings when a link between them arrives late', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('B', from('A')), body('D', from('C')), body('A'), body('C')]);
      await ingestBodies(store, [body('C', from('B'), 1)]);
      expect(await shown(store)).toEqual([
        'A of A: 1 of 4, first, 3 moves',
        'B of A: 2 of 4, 3 moves',
        'C of A: 3 of 4, 3 moves',
        'D of A: 4 of 4, last, 3 moves',
      ]);
    });

    it('go to the booking whose claim was not followed before, once nothing is in its way', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('X', to('Y')), body('Y', from('A')), body('Z', to('Y'))]);
      expect((await shown(store))[2]).toBe('Y of A: 1 of 1, first, last, 1 move');
      await ingestBodies(store, [body('Y', { old_invitee: null }, 1)]);
      expect(await shown(store)).toEqual([
        'X of X: 1 of 2, first, 1 move',
        'Y of X: 2 of 2, last, 1 move',
        'Z of Z: 1 of 1, first, last, 1 move',
      ]);
      await ingestBodies(store, [body('X', { new_invitee: null }, 1)]);
      expect(await shown(store)).toEqual(['Y of Z: 2 of 2, last, 1 move', 'Z of Z: 1 of 2, first, 1 move']);
    });

    it('are computed from the links alone where rows are missing, and are removed where rows are wrong', async () => {
      const { store } = opened;
      await ingestBodies(store, [
        body('A'),
        body('B', from('A')),
        body('C', from('B')),
        body('D', { ...from('A'), ...to('E') }),
      ]);
      await store.db.deleteFrom('booking_invitees').execute();
      await ingestBodies(store, [body('B', { old_invitee: null }, 1)]);
      expect(await tableOf(store)).toEqual(await expected(store));
      const wrong = {
        booking_uri: uri('B'),
        position: 3,
        first_invitee: uri('B'),
        is_first: false,
        is_last: false,
        count: 2,
        moves: 1,
        mirrored: true,
      };
      const right = await tableOf(store);
      await store.transaction((unit) => writeRows(unit, 'booking_invitees', [{ invitee_uri: uri('F'), ...wrong }]));
      await ingestBodies(store, [body('C', { ...from('B'), created_at: at(1) }, 1)]);
      expect(await tableOf(store)).toEqual(right);
    });

    it('follow what their own rows say of moves and of time, without a change of links', async () => {
      const { store } = opened;
      const born = (second: number) => ({ ...from('A'), created_at: at(second) });
      await ingestBodies(store, [body('A'), body('B', born(1)), body('C', born(2))]);
      expect((await shown(store)).at(-1)).toBe('C of A: 3 of 3, last, 1 move');
      await ingestBodies(store, [body('B', born(3), 1)]);
      expect((await shown(store)).at(1)).toBe('B of A: 3 of 3, last, 1 move');
      await ingestBodies(store, [body('B', { ...born(3), rescheduled: true }, 2)]);
      expect((await shown(store)).at(1)).toBe('B of A: 3 of 3, last, 2 moves');
      // Of one that is only named.
      await ingestBodies(store, [body('X', to('Y')), body('Y')]);
      await ingestBodies(store, [body('Y', { rescheduled: true }, 1)]);
      expect((await shown(store)).at(-1)).toBe('Y of X: 2 of 2, last, 2 moves');
    });

    it('stay one booking when one of them is erased, with what arrives about that person later', async () => {
      const { store } = opened;
      const person = { email: 'planted@example.test', name: 'Planted Person' };
      await ingestBodies(store, [body('A'), body('B', { ...from('A'), ...person }), body('C', from('B'))]);
      const before = await tableOf(store);
      await eraseFrom(store, 'planted@example.test', { now: later });
      expect(await tableOf(store)).toEqual(before);
      expect((await rowsOf(store, 'invitees')).map(({ email }) => email)).toEqual([null, null, null]);
      await ingestBodies(store, [body('B', { ...from('D'), ...person }, 1)]);
      expect(await shown(store)).toEqual([
        'B of D: 1 of 2, first, 2 moves',
        'C of D: 2 of 2, last, 2 moves',
        'D of D: missing beside 2, 2 moves',
      ]);
      expect(await rebuild(needsOf(store))).toMatchObject({ rowsDiffered: 0 });
    });

    it('are put right by a rebuild, which counts the rows, and stay the same in a replay', async () => {
      const { store } = opened;
      await ingestBodies(store, [body('A'), body('B', from('A')), body('C', to('D'))]);
      const right = await tableOf(store);
      await replay(needsOf(store), {});
      expect(await tableOf(store)).toEqual(right);
      await store.db.updateTable('booking_invitees').set({ moves: 7 }).where('invitee_uri', '=', uri('A')).execute();
      await store.db.deleteFrom('booking_invitees').where('invitee_uri', '=', uri('D')).execute();
      const { tables } = await rebuild(needsOf(store));
      expect(tables['booking_invitees']).toEqual({ missing: 1, extra: 0, different: 1 });
      expect(await tableOf(store)).toEqual(right);
    });

    it('cost a batch nothing without a new invitee or a changed link, one look-up with one, and only rows that differ', async () => {
      const { store } = opened;
      const contact = JSON.stringify({
        event: 'contact.created',
        created_at: later,
        payload: { uri: 'https://api.example.test/contacts/1', created_at: at(0), updated_at: at(0) },
      });
      expect(await statementsOf(store, [contact])).toEqual([]);
      expect(await statementsOf(store, [body('A'), body('B')])).toEqual(['select']);
      expect(await statementsOf(store, [body('A', { name: 'Ada', rescheduled: false }, 1)])).toEqual([]);
      // Its booking, then the rows of both.
      expect(await statementsOf(store, [body('B', from('A'), 1)])).toEqual(['select', 'insert 2']);
      expect(await statementsOf(store, [body('B', { ...from('A'), name: 'Ada' }, 2)])).toEqual([]);
      // However long the booking is.
      const names = Array.from({ length: 30 }, (_, n) => `L${n + 10}`);
      await ingestBodies(
        store,
        names.map((id, n) => body(id, n === 0 ? {} : from(names[n - 1] ?? ''))),
      );
      expect(await statementsOf(store, [body('M', from('L39'))])).toEqual(['select', 'select', 'insert 31']);
      // Its position may have changed, and has not.
      expect(await statementsOf(store, [body('B', { ...from('A'), created_at: at(1) }, 3)])).toEqual(['select']);
    });
  },
);

describe.runIf(inject('postgresUrl') !== '')(
  'writers of linked invitees at once',
  { timeout: propertyTimeoutMs },
  () => {
    const opened = openedOnce(freshPostgres);
    beforeEach(() => emptyTables(opened.store));

    /** The links of X and Y: either end may name the other. */
    const pairs = [
      [to('Y'), {}],
      [{}, from('X')],
      [to('Y'), from('X')],
    ] as const;
    const linksOf = (more: object, n: number) =>
      Object.fromEntries(Object.entries(more).map(([name, value]) => [name, `${value}${n}`]));

    it('leave one booking of each pair, a thousand times', async () => {
      const { store } = opened;
      const [one, two] = await Promise.all([opened.openAnother(), opened.openAnother()]);
      for (let n = 0; n < 1_000; n += 1) {
        const [x, y] = pairs[n % pairs.length] ?? pairs[0];
        const writes = [
          () => ingestBodies(one, [body(`X${n}`, linksOf(x, n))]),
          () => ingestBodies(two, [body(`Y${n}`, linksOf(y, n))]),
        ];
        await Promise.all((n % 2 === 0 ? writes : writes.toReversed()).map((write) => write()));
      }
      const rows = await tableOf(store);
      const wrong = rows.filter(
        (row) => row.count !== 2 || idOf(row.booking_uri) !== idOf(row.invitee_uri).replace('Y', 'X'),
      );
      expect(wrong).toEqual([]);
      expect(rows).toHaveLength(2_000);
      expect(rows).toEqual(await expected(store));
    });

    it('leave one booking of three, in each order', async () => {
      const { store } = opened;
      const workers = await Promise.all([opened.openAnother(), opened.openAnother(), opened.openAnother()]);
      const orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ] as const;
      const chains = [
        [{}, from('A'), from('B')],
        [to('B'), to('C'), {}],
        [to('B'), {}, from('B')],
      ] as const;
      let n = 0;
      for (let round = 0; round < 20; round += 1)
        for (const order of orders)
          for (const chain of chains) {
            n += 1;
            await Promise.all(
              order.map((which, turn) =>
                ingestBodies(workers[turn] ?? store, [body(`${'ABC'[which]}${n}`, linksOf(chain[which], n))]),
              ),
            );
          }
      const rows = await tableOf(store);
      const wrong = rows.filter((row) => row.count !== 3 || !idOf(row.booking_uri).startsWith('A') || row.moves !== 2);
      expect(wrong).toEqual([]);
      expect(rows).toHaveLength(3 * n);
    });

    it('see the link of the one that has the log before them, which was not committed when they wrote their rows', async () => {
      const { store } = opened;
      for (const [n, [x, y]] of pairs.entries()) {
        const other = await opened.openAnother();
        const second = await store.transaction(async (unit) => {
          await unit.engine.lock(unit.db, 'log');
          const begun = [
            ingestBodies(other, [body(`X${n}`, linksOf(x, n))]),
            ingestBodies(await opened.openAnother(), [body(`Y${n}`, linksOf(y, n))]),
          ];
          await untilTheyWait(store, begun.length);
          return begun;
        });
        await Promise.all(second);
      }
      const rows = await tableOf(store);
      expect(rows.map(({ invitee_uri: own, count }) => `${idOf(own)} ${count}`)).toEqual([
        'X0 2',
        'X1 2',
        'X2 2',
        'Y0 2',
        'Y1 2',
        'Y2 2',
      ]);
    });
  },
);

/** Waits until so many writers, whose rows are written, wait for the log. */
function untilTheyWait({ db }: Store, count: number): Promise<void> {
  return until(async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_locks
      where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return Number(rows[0]?.waiting) === count;
  }, 'the writers wait for the log');
}
