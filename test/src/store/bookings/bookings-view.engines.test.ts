// The view that is to take the place of the table `bookings`, side by side with it: for any deliveries in any order, both have the same
// rows. The files stand here until they replace the table.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredColumns } from '#src/store/columns.ts';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import { decodeViewRow, readViews } from '#src/store/views/view.ts';
import { attendedHistory, bookingHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { asReader, availableEngines, emptyTables, rowsOf } from '../../../harness/stores.ts';

const folder = join(import.meta.dirname, 'replacement');
const [view] = readViews(folder);

describe.each(availableEngines)('bookings as a view on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const opened = openedOnce(fresh);

  it('have the rows of the table', async () => {
    const { store } = opened;
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof(bookingHistory, attendedHistory, mixedHistory())
          .chain((observations) => reordered(observations).chain(cut)),
        async (batches) => {
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch);
          await catchUpBookings(store);
          const columns = view?.columns ?? {};
          const found = await asReader<StoredColumns>(
            store,
            readFileSync(join(folder, `bookings.${name}.sql`), 'utf8'),
          );
          const rows = found.map((row) => decodeViewRow(store.engine, columns, row));
          const table = await rowsOf(store, 'bookings');
          const ofTable = table.map(({ changed_seq: _seq, ...row }) => expect.objectContaining(row) as object);
          moved += table.filter(({ moves }) => Number(moves) > 0).length;
          expect(rows).toHaveLength(table.length);
          expect(rows).toEqual(expect.arrayContaining(ofTable));
        },
      ),
      runs(name === 'sqlite' ? 200 : 60),
    );
    expect(moved).toBeGreaterThan(0);
  });
});
