// Reads the raw bytes of a request, never more than the cap, straight from Node's stream: the web stream in between and
// hono's own body limit cost most of the throughput.
import type { IncomingMessage } from 'node:http';

export type BodyRead = Buffer | 'too_large' | 'aborted';

export function readBody(incoming: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: BodyRead): void => {
      incoming.off('data', onData).off('end', onEnd).off('close', onAbort);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) settle('too_large');
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
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
