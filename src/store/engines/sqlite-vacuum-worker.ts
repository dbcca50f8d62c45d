// Runs in a thread of its own: writes the whole SQLite file anew and empties its write-ahead log.
//
// `user_version`: 0 ──somebody forgotten──▶ hour ──rewriting──▶ −hour ──done──▶ 0
//                                            ▲                   │ somebody forgotten meanwhile: hour again
//                                            └───────────────────┘ a process killed here leaves −hour, which is due too
import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const patienceMs = 5_000;

const database = new Sqlite(String(workerData), { timeout: patienceMs });
database.pragma('secure_delete = ON');
const mark = () => Number(database.pragma('user_version', { simple: true }));
const rewriting = -Math.abs(mark());
try {
  database.pragma(`user_version = ${rewriting}`);
  // The word index only marks what was taken out of it; in one piece it holds nothing but what is in it.
  database.exec("insert into contact_search (contact_search) values ('optimize')");
  database.exec('vacuum');
  const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (result?.busy !== 0) throw new Error('A reader held the write-ahead log: it could not be emptied.');
  database.transaction(() => mark() === rewriting && database.pragma('user_version = 0')).immediate();
} finally {
  database.close();
}
