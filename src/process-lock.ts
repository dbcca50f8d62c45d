// Ownership that dies with its owner, kill -9 included: an open exclusive SQLite transaction, because the kernel drops its
// file lock with the process. A pid file would outlive it, and lie in containers, where every process is number 1.
import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface ProcessLock {
  release(): void;
}

const heldOrGone = new Set(['SQLITE_BUSY', 'SQLITE_CANTOPEN', 'ENOENT']);

/** Undefined when somebody else, in this process or another, holds the file, or its folder is gone. */
export function takeLock(path: string): ProcessLock | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    // better-sqlite3 says with a TypeError that the folder does not exist.
    if (error instanceof TypeError || heldOrGone.has((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => void held.close() };
}
