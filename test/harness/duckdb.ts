// An independent reader of exported files: DuckDB, which has no information about the expected contents.
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

export type DuckRow = Readonly<Record<string, unknown>>;

/** Opened once: that costs forty times as much as a query. */
let connection: Promise<DuckDBConnection> | undefined;

export async function query(sql: string): Promise<DuckRow[]> {
  connection ??= DuckDBInstance.create(':memory:').then((instance) => instance.connect());
  return (await (await connection).runAndReadAll(sql)).getRowObjectsJS();
}

/** Column → type, in order, as the file declares them. */
export async function parquetTypes(path: string): Promise<Record<string, string>> {
  const rows = await query(`describe select * from read_parquet('${path}')`);
  return Object.fromEntries(rows.map(({ column_name, column_type }) => [String(column_name), String(column_type)]));
}

/** Every row; times as microseconds since 1970, days as text, JSON as its text. */
export async function readParquet(path: string): Promise<DuckRow[]> {
  const cells = Object.entries(await parquetTypes(path)).map(([name, type]) => {
    const column = `"${name}"`;
    if (type === 'TIMESTAMP WITH TIME ZONE') return `epoch_us(${column}) as ${column}`;
    return type === 'JSON' || type === 'DATE' ? `${column}::varchar as ${column}` : column;
  });
  return query(`select ${cells.join()} from read_parquet('${path}')`);
}

/** Every row as text, null apart from empty text. */
export function readCsv(path: string, columns: readonly string[]): Promise<DuckRow[]> {
  const types = columns.map((name) => `'${name}': 'VARCHAR'`).join();
  return query(`select * from read_csv('${path}', auto_detect=false, columns={${types}}, header=true, delim=',', quote='"', escape='"',
    nullstr='', allow_quoted_nulls=false, new_line='\\r\\n', max_line_size=30000000, parallel=false)`);
}
