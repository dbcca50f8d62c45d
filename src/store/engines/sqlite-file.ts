// Notices when the file of the database is not under its name any more. SQLite goes on with the file that it has open, so whatever is
// committed then would be lost with the process.
import { statSync } from 'node:fs';
import { SlotstreamError } from '#src/base/errors.ts';

/** Returns a check for this process, which has just opened the file. It fails until the same file is back under its name. */
export function watchFile(path: string): () => void {
  const opened = identityOf(path);
  return () => {
    const found = identityOf(path);
    if (found === opened) return;
    throw new SlotstreamError(
      'store_unavailable',
      `The SQLite file ${path} was ${found === undefined ? 'moved or deleted' : 'replaced'} while this process has it open. Nothing is written any more; deliveries wait in the queue.`,
      {
        hint:
          found === undefined
            ? 'Move the same file back. If it is gone, stop this process and restore a backup (docs/backup.md).'
            : 'Stop this process, restore a backup (docs/backup.md), and start again.',
      },
    );
  };
}

/** Undefined where there is none, or none that can be looked at. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
