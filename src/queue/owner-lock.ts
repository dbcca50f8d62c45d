// One owner for a folder. The lock is an open exclusive SQLite transaction, because the operating system drops it with
// the process, kill -9 included; a pid file would outlive it, and in a container every process is number 1.

import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { SlotstreamError } from '#src/errors.ts';

/** Locks `path` (a file made beside the folder) or says who holds it. */
export function lockFolder(path: string, now: () => Date = () => new Date()): { release(): void } {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new SlotstreamError('queue_held', `Another process holds the embedded queue: ${readOwner(path)}.`, {
      hint: 'Stop that process, or give this one its own DATA_DIR. Several processes at once need QUEUE_URL (Redis or PostgreSQL).',
    });
  }
  writeFileSync(ownerFile(path), JSON.stringify({ pid: process.pid, host: hostname(), since: now().toISOString() }));
  return { release: () => void database.close() };
}

function ownerFile(path: string): string {
  return `${path}.owner`;
}

/** Only a help for people: the lock itself is the truth. */
function readOwner(path: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(ownerFile(path), 'utf8')) as Record<string, unknown>;
    return `process ${pid} on ${host}, since ${since}`;
  } catch {
    return 'it did not say who it is';
  }
}
