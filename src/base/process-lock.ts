// Ownership that dies with its owner, kill -9 included: an open exclusive SQLite transaction, because the kernel drops its
// file lock with the process. A pid file would outlive it, and lie in containers, where every process is number 1.
import { chmodSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf } from './errors.ts';

export interface ProcessLock {
  release(): void;
}

/** Undefined when somebody else, in this process or another, holds the file, or its folder is gone. */
export function takeLock(path: string): ProcessLock | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    // better-sqlite3 says with a TypeError that the folder does not exist. No permission is another matter, and is told.
    const gone = error instanceof TypeError || !existsSync(dirname(path));
    if (gone || codeOf(error) === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  const held = database;
  return { release: () => void held.close() };
}
