// A file in the data folder with the optional subscriptions that the service refused, so that a plan is not pending for ever.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '#src/base/durable-file.ts';

const content = z.looseObject({ refused: z.array(z.string()).max(1000) });

export interface RefusalCache {
  read(): readonly string[];
  write(ids: readonly string[]): void;
}

export function openRefusalCache(dataDir: string): RefusalCache {
  const path = join(dataDir, 'refused-subscriptions.json');
  return {
    /** A missing or invalid file counts as empty: the plan then tries again. */
    read() {
      try {
        return content.parse(JSON.parse(readFileSync(path, 'utf8'))).refused;
      } catch {
        return [];
      }
    },
    write(refused) {
      replaceFile(path, `${JSON.stringify({ refused })}\n`);
    },
  };
}
