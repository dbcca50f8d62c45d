// Ownership of a folder that dies with its owner, kill -9 included: an open exclusive SQLite transaction, because the
// kernel drops its file lock with the process. A pid file would lie in containers, where every process is number 1.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export interface FolderLock {
  release(): void;
}

/** Undefined when another process, or another receiver of this one, owns the folder, or the folder is gone. */
export function lockFolder(folder: string): FolderLock | undefined {
  const path = join(folder, 'lock');
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    const { code } = error as { code?: string };
    if (code === 'SQLITE_BUSY' || code === 'SQLITE_CANTOPEN' || code === 'ENOENT' || error instanceof TypeError)
      return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
}
