// Reads the raw bytes of a request, never more than the limit, directly from Node's stream: a web stream in between and hono's own
// body limit would cost most of the throughput.
import type { IncomingMessage } from 'node:http';
import type { BodyBudget, BodyEviction, BodyShare } from './body-budget.ts';

export type BodyRead = Buffer | 'too_large' | 'aborted' | BodyEviction;

/** A body may arrive byte by byte, and each chunk costs far more memory than its content. */
const mergeAt = 256;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Limits all bodies together. */
  readonly budget?: BodyBudget;
}

/** Calls `done` once, with a callback instead of a promise: every request comes through here. */
export function readBody(
  incoming: IncomingMessage,
  { maxBytes, budget }: BodyLimits,
  done: (body: BodyRead) => void,
): void {
  const length = incoming.headers['content-length'];
  const declaredBytes = length === undefined ? undefined : Number(length);
  if (declaredBytes !== undefined && declaredBytes > maxBytes) return done('too_large');
  const merged: Buffer[] = [];
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isSettled = false;
  let share: BodyShare | undefined;
  const settle = (outcome: BodyRead): void => {
    isSettled = true;
    incoming.off('data', onData).off('end', onEnd).off('close', onAbort);
    share?.leave();
    done(outcome);
  };
  const join = (): void => {
    if (!isSettled) share ??= budget?.join(declaredBytes, settle);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) return settle('too_large');
    if (bytes !== declaredBytes) join();
    share?.add(chunk.length);
    if (isSettled) return;
    pieces.push(chunk);
    if (pieces.length === mergeAt) {
      merged.push(Buffer.concat(pieces));
      pieces = [];
    }
  };
  const onEnd = (): void => {
    const [only] = pieces;
    if (only && pieces.length === 1 && merged.length === 0) return settle(only);
    settle(Buffer.concat([...merged, ...pieces], bytes));
  };
  const onAbort = (): void => settle('aborted');
  incoming.on('data', onData).on('end', onEnd).on('close', onAbort);
  // The connection may break at any time, also after we stopped listening; 'close' is enough to know.
  incoming.on('error', ignore);
  if (budget && joining.push(join) === 1) setImmediate(joinAll);
}

/**
 * Bodies that began in this turn of the event loop. Most are complete by its end, because they arrive together with their headers;
 * only the others need a share of the budget.
 */
let joining: (() => void)[] = [];

function joinAll(): void {
  const all = joining;
  joining = [];
  for (const join of all) join();
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
