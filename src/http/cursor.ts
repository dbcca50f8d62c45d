// Page tokens: a position in a list and everything that was asked of it, signed so that a forged one is told from a real one,
// and short-lived.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Position } from './page-link.ts';

/** A list by its path, with the filters and the order asked for: a token alone leads on. */
export interface AskedList {
  readonly path: string;
  /** As they stood in the query. */
  readonly filters: Readonly<Record<string, string>>;
}

export interface Place {
  readonly from: Position;
  readonly backwards: boolean;
}

export interface Cursor {
  readonly place: Place;
  readonly filters: AskedList['filters'];
}

export interface Cursors {
  write(list: AskedList, place: Place): string;
  /** Undefined when forged, of another list, or older than a day (A13). */
  read(path: string, token: string): Cursor | undefined;
}

const content = z.tuple([
  z.string(),
  z.string(),
  z.boolean(),
  z.string(),
  z.record(z.string(), z.string()),
  z.number(),
]);
const dayMs = 86_400_000;
const macBytes = 16;
/** No request line is longer. */
const longestToken = 16_384;

export function createCursors(secret: string, clock: { nowMs(): number }): Cursors {
  const macOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest().subarray(0, macBytes);
  return {
    write({ path, filters }, { from, backwards }) {
      const text = JSON.stringify([from.key, from.uri, backwards, path, filters, clock.nowMs()]);
      return Buffer.concat([macOf(text), Buffer.from(text)]).toString('base64url');
    },
    read(path, token) {
      if (token.length > longestToken || !/^[\w-]+$/.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Written in one way only: a token with something added is not the token.
      if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return undefined;
      const text = bytes.subarray(macBytes).toString();
      if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(text))) return undefined;
      const [key, uri, backwards, ofList, filters, madeMs] = content.parse(JSON.parse(text));
      if (ofList !== path || clock.nowMs() - madeMs > dayMs) return undefined;
      return { place: { from: { key, uri }, backwards }, filters };
    },
  };
}
