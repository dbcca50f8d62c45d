// Runs in a thread of its own: writes the whole SQLite file anew and empties its write-ahead log.
import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const patienceMs = 5_000;

const database = new Sqlite(String(workerData), { timeout: patienceMs });
const due = Number(database.pragma('user_version', { simple: true }));
try {
  // Taken back first: who is forgotten from here on sets it again.
  database.pragma('user_version = 0');
  database.exec('vacuum');
  const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (result?.busy !== 0) throw new Error('A reader held the write-ahead log: it could not be emptied.');
} catch (error) {
  database.pragma(`user_version = ${due}`);
  throw error;
} finally {
  database.close();
}
