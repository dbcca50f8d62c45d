// Reads the raw bytes of a request, never more than the limits.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyBudget, BodyEviction } from './body-budget.ts';

export type BodyResult = Buffer | 'too_large' | 'aborted' | BodyEviction;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Limits all bodies together. */
  readonly budget: BodyBudget;
  /** The content length that the sender declares. */
  readonly declared: string | undefined;
}

/** A body may arrive byte by byte, and each chunk costs far more memory than its content. */
const mergeAt = 256;

/** Node's own stream, unless there is none or it was read already: a web stream in between costs most of the throughput. */
export function bodyOf(request: Request, incoming: IncomingMessage | undefined): Readable {
  if (incoming?.readableDidRead === false) return incoming;
  return request.body ? Readable.fromWeb(request.body) : Readable.from([]);
}

export async function readBody(stream: Readable, { maxBytes, budget, declared }: BodyLimits): Promise<BodyResult> {
  const declaredBytes = declared === undefined ? undefined : Number(declared);
  if (declaredBytes !== undefined && declaredBytes > maxBytes) return 'too_large';
  const { promise, resolve } = Promise.withResolvers<BodyResult>();
  const share = budget.join(declaredBytes, resolve);
  const merged: Buffer[] = [];
  let pieces: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) return resolve('too_large');
    share.add(chunk.length);
    if (pieces.push(chunk) < mergeAt) return;
    merged.push(Buffer.concat(pieces));
    pieces = [];
  };
  const onEnd = (): void => {
    const [only] = pieces;
    const isWhole = only !== undefined && bytes === only.length;
    resolve(isWhole ? only : Buffer.concat([...merged, ...pieces], bytes));
  };
  const onClose = (): void => resolve('aborted');
  stream.on('data', onData).on('end', onEnd).on('close', onClose);
  // The connection may break at any time, also after we stopped listening; 'close' is enough to know.
  stream.on('error', ignore);
  try {
    return await promise;
  } finally {
    stream.off('data', onData).off('end', onEnd).off('close', onClose);
    share.leave();
  }
}

const ignore = (): void => undefined;
const lingerMs = 500;
const lingerBytes = 64 * 1024 * 1024;

/**
 * Discards what still arrives, for a moment. Closing with unread bytes resets the connection, and the sender would lose the
 * response it needs to see.
 */
export function discardRest(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', finish).off('close', finish);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > lingerBytes) finish();
    };
    const timer = setTimeout(finish, lingerMs);
    stream.on('data', onData).on('end', finish).on('close', finish).on('error', ignore);
  });
}
