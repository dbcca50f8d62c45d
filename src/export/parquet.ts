// Parquet: typed columns, all of them nullable, compressed with Zstandard, in groups of rows that fit in memory.
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { dayMs } from '#src/base/time.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Cell, Cells, Column, Format, Output } from './format.ts';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const groupRows = 10_000;
/** In characters of text: long texts make smaller groups. */
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

const values: { readonly [Kind in ColumnKind]?: (cell: never) => unknown } = {
  time: (text: string) => BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26)),
  date: (text: string) => Date.parse(text) / dayMs,
  integer: (value: number) => BigInt(value),
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

// Told what texts mean, the library would turn all of a group into bytes beforehand, and JSON's text into a JSON string. So it
// is told that they are bytes while it writes them, and what they mean when it describes them.
const asEncoded: typeof types = { ...types, text: { type: 'BYTE_ARRAY' }, json: { type: 'BYTE_ARRAY' } };

function schemaOf(columns: readonly Column[], of: typeof types): Element[] {
  const elements = columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...of[kind] }));
  return [{ name: 'root', num_children: elements.length }, ...elements];
}

const columnOf =
  (group: readonly Cells[]) =>
  ({ name, kind }: Column, index: number) => {
    const read = values[kind] as ((cell: Cell) => unknown) | undefined;
    const data = group.map((row) => {
      const cell = row[index] ?? null;
      return cell === null || read === undefined ? cell : read(cell);
    });
    return { name, data };
  };

/**
 * The least and greatest text of a group: compared by the library in an order that is not Parquet's, and kept whole until
 * the end, however long. Those of numbers and times stay, so that readers can skip groups.
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
