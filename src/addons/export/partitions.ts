// Writes rows that are in the order of their time to one file per day or month, in folders that Hive, DuckDB and Athena read as a column.
import type { Cells, Column, Format, RowWriter } from './format.ts';
import type { Destination } from './output.ts';

/** The length of its names: 2026-11-16, 2026-11. */
const lengths = { day: 10, month: 7 } as const;
export type Partition = keyof typeof lengths;

/** What Hive calls the folder of rows without a value. */
const noTime = '__HIVE_DEFAULT_PARTITION__';

interface PartitionedFile {
  readonly format: Format;
  readonly columns: readonly Column[];
  readonly partition: Partition;
}

/** The last cell of a row is its time. */
export function openPartitions(destination: Destination, { format, columns, partition }: PartitionedFile): RowWriter {
  let current: { readonly name: string; readonly writer: RowWriter } | undefined;
  const switchTo = async (name: string): Promise<RowWriter> => {
    if (current?.name === name) return current.writer;
    await current?.writer.close();
    await destination.startObject?.(`${partition}=${name}`);
    current = { name, writer: await format.open(destination, columns) };
    return current.writer;
  };
  const nameOf = (row: Cells | undefined): string => {
    const time = row?.at(-1);
    return typeof time === 'string' ? time.slice(0, lengths[partition]) : noTime;
  };
  return {
    async write(rows) {
      for (let from = 0; from < rows.length;) {
        const name = nameOf(rows[from]);
        let to = from + 1;
        while (to < rows.length && nameOf(rows[to]) === name) to += 1;
        await (await switchTo(name)).write(rows.slice(from, to));
        from = to;
      }
    },
    // Without rows, one file with the columns only: readers need at least one.
    close: async () => (current?.writer ?? (await switchTo(noTime))).close(),
  };
}
