// The embedded queue has one owner: a second process is told who it is.

import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { SlotstreamError } from '#src/base/errors.ts';
import { type ProcessLock, takeLock } from '#src/base/process-lock.ts';

/** Takes `path` (a file beside the queue's folder) or says who holds it. */
export function ownQueue(path: string, now: () => Date = () => new Date()): ProcessLock {
  const lock = takeLock(path);
  if (lock === undefined) {
    throw new SlotstreamError('queue_held', `Another process holds the embedded queue: ${readOwner(path)}.`, {
      hint: 'Stop that process, or give this one its own DATA_DIR. Several processes at once need QUEUE_URL (Redis or PostgreSQL).',
    });
  }
  writeFileSync(ownerFile(path), JSON.stringify({ pid: process.pid, host: hostname(), since: now().toISOString() }));
  return lock;
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
