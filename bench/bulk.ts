// An empty mirror made by the product, then opened for filling: a million rows through the product itself would take hours.
import Sqlite from 'better-sqlite3';
import { openStore } from '#src/store/open-store.ts';

export async function openBulk(path: string): Promise<Sqlite.Database> {
  await using made = await openStore({ report: () => {} }, `sqlite:${path}`);
  await made.close();
  const database = new Sqlite(path);
  database.pragma('journal_mode = WAL');
  // Only while it is filled: the measurement opens the file with the product's own settings.
  database.pragma('synchronous = OFF');
  return database;
}
