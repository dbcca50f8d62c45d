// Reads the raw bytes of a request, never more than the limit, directly from Node's stream: a web stream in between and hono's own
// body limit would cost most of the throughput.
import type { IncomingMessage } from 'node:http';
import type { BodyBudget, BodyEviction } from './body-budget.ts';

export type BodyRead = Buffer | 'too_large' | 'aborted' | BodyEviction;

/** A body may arrive byte by byte, and each chunk costs far more memory than its content. */
const mergeAt = 256;

export function readBody(incoming: IncomingMessage, maxBytes: number, budget?: BodyBudget): Promise<BodyRead> {
  const length = incoming.headers['content-length'];
  const declaredBytes = length === undefined ? undefined : Number(length);
  if (declaredBytes !== undefined && declaredBytes > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const merged: Buffer[] = [];
    let pieces: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: BodyRead): void => {
      incoming.off('data', onData).off('end', onEnd).off('close', onAbort);
      share?.leave();
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) return settle('too_large');
      share?.add(chunk.length);
      pieces.push(chunk);
      if (pieces.length === mergeAt) {
        merged.push(Buffer.concat(pieces));
        pieces = [];
      }
    };
    const onEnd = (): void => {
      const all = [...merged, ...pieces];
      const [only = Buffer.alloc(0)] = all;
      settle(all.length === 1 ? only : Buffer.concat(all, bytes));
    };
    const onAbort = (): void => settle('aborted');
    const share = budget?.join(declaredBytes, settle);
    incoming.on('data', onData).on('end', onEnd).on('close', onAbort);
    // The connection may break at any time, also after we stopped listening; 'close' is enough to know.
    incoming.on('error', ignore);
  });
}

const ignore = (): void => undefined;
const lingerMs = 500;
const lingerBytes = 64 * 1024 * 1024;

/**
 * Discards what still arrives, for a moment. Closing with unread bytes resets the connection, and the sender would lose the
 * response it needs to see.
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
