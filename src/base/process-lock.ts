// A lock that ends with its process, also after kill -9: an open exclusive SQLite transaction, because the kernel releases the file
// lock of a dead process. A pid file would outlive it, and is wrong in containers, where every process has number 1.
import { chmodSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolder } from './durable-file.ts';
import { codeOf, type SlotstreamError } from './errors.ts';

export interface ProcessLock {
  release(): void;
}

/** Returns undefined when this or another process holds the lock, or when its folder does not exist. */
export function takeLock(path: string): ProcessLock | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    // better-sqlite3 throws a TypeError when the folder does not exist. A missing permission is another matter, and is thrown.
    const isMissing = error instanceof TypeError || !existsSync(dirname(path));
    if (isMissing || codeOf(error) === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  const locked = database;
  return { release: () => void locked.close() };
}

/** Creates the folder if necessary and takes the lock; throws `busy` when another process holds it. */
export function holdLock(path: string, busy: SlotstreamError): Disposable {
  makeFolder(dirname(path));
  const lock = takeLock(path);
  if (lock === undefined) throw busy;
  return { [Symbol.dispose]: () => lock.release() };
}
