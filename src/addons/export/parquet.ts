// Parquet: typed, nullable columns, compressed with Zstandard, in row groups that fit in memory.
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { dayMs } from '#src/base/time.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Cell, Cells, Column, Format, Output } from './format.ts';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const groupRows = 10_000;
/** In characters: long texts make smaller groups. */
const groupText = 4_000_000;

const types: Readonly<Record<ColumnKind, Omit<Element, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
  flag: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
};

/** How values of a kind are written; the others are written unchanged. */
const converters: Partial<Record<ColumnKind, (cell: NonNullable<Cell>) => unknown>> = {
  time: (cell) => {
    const text = String(cell);
    return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26));
  },
  date: (cell) => Date.parse(String(cell)) / dayMs,
  integer: (cell) => BigInt(cell),
};

export const parquet: Format = {
  isText: false,
  async open(output, columns) {
    const bytes = new ByteWriter();
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaOf(columns, asEncoded),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
    });
    let group: Cells[] = [];
    let text = 0;
    const writeGroup = async () => {
      await writer.write({ columnData: columns.map(columnOf(group)), rowGroupSize: group.length });
      dropTextBounds(writer);
      await drain(bytes, output);
      group = [];
      text = 0;
    };
    return {
      async write(rows) {
        for (const row of rows) {
          group.push(row);
          for (const cell of row) if (typeof cell === 'string') text += cell.length;
          if (group.length >= groupRows || text >= groupText) await writeGroup();
        }
      },
      async close() {
        if (group.length > 0) await writeGroup();
        writer.schema = schemaOf(columns, types);
        await writer.finish();
        await drain(bytes, output);
      },
    };
  },
};

// With the logical types of texts, the library would encode a whole group in advance, and encode JSON text again as a JSON
// string. So the schema says bytes while rows are written, and has the logical types when the footer is written.
const asEncoded: typeof types = { ...types, text: { type: 'BYTE_ARRAY' }, json: { type: 'BYTE_ARRAY' } };

function schemaOf(columns: readonly Column[], of: typeof types): Element[] {
  const elements = columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...of[kind] }));
  return [{ name: 'root', num_children: elements.length }, ...elements];
}

const columnOf =
  (group: readonly Cells[]) =>
  ({ name, kind }: Column, index: number) => {
    const convert = converters[kind];
    const data = group.map((row) => {
      const cell = row[index] ?? null;
      return cell === null || convert === undefined ? cell : convert(cell);
    });
    return { name, data };
  };

/**
 * Removes the minimum and maximum text of a group: the library compares texts in an order other than Parquet's, and holds
 * them in memory until the end, however long. Those of numbers and times remain, so that readers can skip groups.
 */
function dropTextBounds({ row_groups }: ParquetWriter): void {
  for (const { meta_data } of row_groups.at(-1)?.columns ?? []) {
    if (meta_data?.type !== 'BYTE_ARRAY' || meta_data.statistics === undefined) continue;
    delete meta_data.statistics.min_value;
    delete meta_data.statistics.max_value;
  }
}

async function drain(bytes: ByteWriter, output: Output): Promise<void> {
  await output.write(bytes.getBytes());
  bytes.index = 0;
}
