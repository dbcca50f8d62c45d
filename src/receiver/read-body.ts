// Reads the raw bytes of a request, never more than the cap, straight from Node's stream: the web stream in between and
// hono's own body limit cost most of the throughput.
import type { IncomingMessage } from 'node:http';

export type BodyRead = Buffer | 'too_large' | 'busy' | 'aborted';

/** What all bodies being read at one time may hold together; they are not verified yet, so anyone can send them. */
export interface ReadingBudget {
  readonly maxBytes: number;
  bytes: number;
}

/** A body may come in single bytes, and each piece costs far more than it holds. */
const mergeAt = 256;

export function readBody(incoming: IncomingMessage, maxBytes: number, budget?: ReadingBudget): Promise<BodyRead> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const merged: Buffer[] = [];
    let pieces: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: BodyRead): void => {
      incoming.off('data', onData).off('end', onEnd).off('close', onAbort);
      if (budget) budget.bytes -= bytes;
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (budget) budget.bytes += chunk.length;
      if (bytes > maxBytes) return settle('too_large');
      if (budget && budget.bytes > budget.maxBytes) return settle('busy');
      pieces.push(chunk);
      if (pieces.length === mergeAt) {
        merged.push(Buffer.concat(pieces));
        pieces = [];
      }
    };
    const onEnd = (): void => {
      const all = [...merged, ...pieces];
      settle(all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all, bytes));
    };
    const onAbort = (): void => settle('aborted');
    incoming.on('data', onData).on('end', onEnd).on('close', onAbort);
    // The connection may break at any time, also after we stopped listening; 'close' tells us what we need to know.
    incoming.on('error', ignore);
  });
}

const ignore = (): void => undefined;
const lingerMs = 500;
const lingerBytes = 64 * 1024 * 1024;

/**
 * Throws away what still arrives, for a moment. Closing with unread bytes resets the connection, and the sender would
 * lose the very answer it needs to see.
 */
export function discardRest(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', finish).off('close', finish);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > lingerBytes) finish();
    };
    const timer = setTimeout(finish, lingerMs);
    incoming.on('data', onData).on('end', finish).on('close', finish).on('error', ignore);
  });
}
