// Files that survive a power cut: contents and names are on disk before anything relies on them.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

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

/** Writes `text` to a new file beside `path`, readable by its owner only, and flushes it. Returns its path, to be renamed or linked. */
export function writeDraft(path: string, text: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
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
