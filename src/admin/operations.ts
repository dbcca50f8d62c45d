// Every operation of the admin listener that reads the mirror, and the application made of them. Loaded when first asked for: most
// processes are never asked.
import type { Hono } from 'hono';
import { createCursors } from '#src/conventions/cursor.ts';
import type { Operation, ReaderNeeds } from './operation.ts';
import { createRouter } from './router.ts';

const operationsFor = (_needs: ReaderNeeds): readonly Operation[] => [];

export interface ReadApiNeeds extends ReaderNeeds {
  /** Signs page tokens. */
  readonly secret: string;
  report(error: unknown): void;
}

export function createReadApi({ secret, report, ...needs }: ReadApiNeeds): Hono {
  const cursors = createCursors(secret, { nowMs: () => needs.clock() });
  return createRouter({ cursors, report }, operationsFor(needs));
}
