// The note by which workers tell receivers that the database went back: they enqueue again what they have kept since then.
import { z } from 'zod';
import { withTimeout } from '#src/base/timeout.ts';
import type { QueueNotes } from './contract.ts';

export interface WentBackNote {
  /** When it was noticed. */
  readonly at: string;
  /** What was committed until then is there. Without an end on the left: how far the database went back is unknown. */
  readonly sinceMs: number;
}

const name = 'went back';
const timeoutMs = 2000;
const stored = z.object({ at: z.string(), since_ms: z.number().nullable() });

export function writeWentBack(notes: Pick<QueueNotes, 'write'>, { at, sinceMs }: WentBackNote): Promise<void> {
  const since_ms = Number.isFinite(sinceMs) ? sinceMs : null;
  return withTimeout(notes.write(name, JSON.stringify({ at, since_ms })), timeoutMs);
}

/** Undefined where no worker has written one. Rejects when the queue does not answer. */
export async function readWentBackNote(notes: Pick<QueueNotes, 'read'>): Promise<WentBackNote | undefined> {
  const text = (await withTimeout(notes.read(), timeoutMs)).get(name);
  const found = stored.safeParse(jsonIn(text)).data;
  return found && { at: found.at, sinceMs: found.since_ms ?? Number.NEGATIVE_INFINITY };
}

function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
