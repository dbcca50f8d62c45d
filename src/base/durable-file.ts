// Files that survive a power cut: contents and names are on disk before anything relies on them.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownCode } from './errors.ts';

/**
 * Creates a folder for its owner only, and those above it. Level by level: the recursive `mkdir` of Node never returns where a level
 * cannot be created, as in `/proc`. Its name is flushed where this user may do that; what must be sure of it calls `syncFolder`.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it at the same moment.
    if (ownCode(error) !== 'EEXIST') throw error;
  }
  try {
    syncFolderNow(dirname(path));
  } catch {
    // The folder above may be one that this user can write to and not read.
  }
}

/** How the name of a file begins that was damaged and is set aside for the operator. */
export const damagedPrefix = 'damaged-';

/** Flushes a folder, so that the names of new or renamed files in it survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Creates a file for its owner only; one that exists stays as it is. No process ever sees it empty or half written. */
export function createFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } catch (error) {
    // Another process created it at the same moment.
    if (ownCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncFolderNow(dirname(path));
}

/** Writes a file for its owner only. After a crash there is the old content or the new one. */
export function replaceFile(path: string, content: string | Buffer): void {
  const draft = writeDraft(path, content);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft);
    throw error;
  }
  syncFolderNow(dirname(path));
}

/** Writes `content` to a new file beside `path` and flushes it. Returns its path. */
function writeDraft(path: string, content: string | Buffer): string {
  makeFolder(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}
