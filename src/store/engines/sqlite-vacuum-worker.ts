// Runs in a thread of its own: rewrites the whole SQLite file and empties its write-ahead log.
//
// `user_version`: 0 ──data redacted──────▶ hour ──rewriting──▶ −hour ──done──▶ 0
//                                            ▲                   │ data redacted meanwhile: hour again
//                                            └───────────────────┘ a process killed here leaves −hour, which is due too
import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';

const busyTimeoutMs = 5_000;

const database = new Sqlite(String(workerData), { timeout: busyTimeoutMs });
database.pragma('secure_delete = ON');
const mark = () => Number(database.pragma('user_version', { simple: true }));
const rewriting = -Math.abs(mark());
try {
  database.pragma(`user_version = ${rewriting}`);
  database.exec('vacuum');
  const [result] = z.array(z.object({ busy: z.number() })).parse(database.pragma('wal_checkpoint(TRUNCATE)'));
  if (result?.busy !== 0) throw new Error('A reader held the write-ahead log: it could not be emptied.');
  database.transaction(() => mark() === rewriting && database.pragma('user_version = 0')).immediate();
} finally {
  database.close();
}
