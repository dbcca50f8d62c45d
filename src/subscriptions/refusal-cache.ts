// A small file in the data folder: which optional subscriptions the service refused, so that a plan is not pending for ever.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RefusalMemory } from './bootstrap.ts';

const content = z.looseObject({ refused: z.array(z.string()).max(1000) });

export function refusalsIn(dataDir: string): RefusalMemory {
  const path = join(dataDir, 'refused-subscriptions.json');
  return {
    /** A file that is not there, or makes no sense, remembers nothing: the plan then asks again. */
    read() {
      try {
        return content.parse(JSON.parse(readFileSync(path, 'utf8'))).refused;
      } catch {
        return [];
      }
    },
    write(refused) {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ refused })}\n`, { mode: 0o600 });
      renameSync(draft, path);
    },
  };
}
