// Where every question to a table or view is run: a statement in, rows out.
import type { StoredColumns } from '#src/store/columns.ts';
import type { Readable, Statement } from '#src/store/contract.ts';

export async function runStatement({ db, engine }: Readable, statement: Statement): Promise<readonly StoredColumns[]> {
  return (await engine.run<StoredColumns>(db, statement)).rows;
}
