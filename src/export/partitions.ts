// Writes rows that are in the order of their time to one file per day, in folders that Hive, DuckDB and Athena read as a column.
import type { Cells, Column, Format, RowWriter } from './format.ts';
import type { Destination } from './output.ts';

/** What Hive calls the folder of rows without a value. */
const noDay = '__HIVE_DEFAULT_PARTITION__';

/** The last cell of a row is its time. */
export function openPartitions(format: Format, destination: Destination, columns: readonly Column[]): RowWriter {
  let current: { readonly day: string; readonly writer: RowWriter } | undefined;
  const switchTo = async (day: string): Promise<RowWriter> => {
    if (current?.day === day) return current.writer;
    await current?.writer.close();
    await destination.startObject?.(`day=${day}`);
    current = { day, writer: await format.open(destination, columns) };
    return current.writer;
  };
  return {
    async write(rows) {
      for (let from = 0; from < rows.length;) {
        const day = dayOf(rows[from]);
        let to = from + 1;
        while (to < rows.length && dayOf(rows[to]) === day) to += 1;
        await (await switchTo(day)).write(rows.slice(from, to));
        from = to;
      }
    },
    // Without rows, one file with the columns only: readers need at least one.
    close: async () => (current?.writer ?? (await switchTo(noDay))).close(),
  };
}

function dayOf(row: Cells | undefined): string {
  const time = row?.at(-1);
  return typeof time === 'string' ? time.slice(0, 10) : noDay;
}
