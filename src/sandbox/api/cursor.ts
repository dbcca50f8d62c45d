// Page tokens: a position in one order of one list, signed so that a forged one is told from a real one, and short-lived.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { dayMs } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { Position } from '../world/page.ts';

/** The list a token belongs to: path, order and direction. A token of another list is refused. */
export type ListName = string;

export interface Cursor {
  readonly from: Position;
  readonly backwards: boolean;
}

export interface Cursors {
  write(list: ListName, cursor: Cursor): string;
  /** Undefined when forged, of another list, or older than a day (A13). */
  read(list: ListName, token: string): Cursor | undefined;
}

const content = z.tuple([z.string(), z.string(), z.boolean(), z.string(), z.number()]);
const macBytes = 16;
const longestToken = 4096;

export function createCursors(secret: string, clock: Pick<Clock, 'nowMs'>): Cursors {
  const macOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest().subarray(0, macBytes);
  return {
    write(list, { from, backwards }) {
      const text = JSON.stringify([from.key, from.uri, backwards, list, clock.nowMs()]);
      return Buffer.concat([macOf(text), Buffer.from(text)]).toString('base64url');
    },
    read(list, token) {
      if (token.length > longestToken || !/^[\w-]+$/.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Written in one way only: a token with something added is not the token.
      if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return undefined;
      const text = bytes.subarray(macBytes).toString();
      if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(text))) return undefined;
      const [key, uri, backwards, ofList, madeMs] = content.parse(JSON.parse(text));
      return ofList === list && clock.nowMs() - madeMs <= dayMs ? { from: { key, uri }, backwards } : undefined;
    },
  };
}
