// Signed links with which a host answers whether an invitee came, without a login. A token names the invitee and the host by the last parts
// of their URIs, and when it ends; nothing in it is about a person.
//
//   base64url(invitee / host / seconds since 1970) . base64url(HMAC-SHA256)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { idOf } from '#schemas/wire.ts';
import { dayMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue } from '#src/store/key-value.ts';

export const answerLinkMs = 7 * dayMs;

const storedKey = keyValue('answer_links', z.object({ key: z.string() }));

/** The key of the mirror: every process that has its database signs and reads the same links. */
export const answerKey = (store: Store, newKey: () => string): Promise<string> =>
  changeValue(store, storedKey, (known) => {
    const value = known ?? { key: newKey() };
    return { result: value.key, ...(known === undefined && { after: value }) };
  });

export interface AnswerClaim {
  /** The last parts of the URIs. */
  readonly invitee: string;
  readonly host: string;
  readonly expiresMs: number;
}

/** `invitee` and `host` are URIs. */
export function makeAnswerToken(key: string, { invitee, host, expiresMs }: AnswerClaim): string {
  const content = [idOf(invitee), idOf(host), Math.floor(expiresMs / 1000)].join('/');
  const claim = Buffer.from(content).toString('base64url');
  return `${claim}.${macOf(key, claim).toString('base64url')}`;
}

/** Longer ones are not read. */
const longestToken = 1_000;
const tokenForm = /^[\w-]+\.[\w-]{43}$/;

/** The last part of the address of a link. */
export const tokenIn = (url: string): string => idOf(new URL(url).pathname);

/** Whether it can be a token: what is not is refused before anything is opened. */
export const isAnswerToken = (text: string): boolean => text.length <= longestToken && tokenForm.test(text);

/** Undefined for a token that is forged or has ended. */
export function readAnswerToken(key: string, token: string, nowMs: number): AnswerClaim | undefined {
  const [claim = '', mac = ''] = isAnswerToken(token) ? token.split('.') : [];
  const given = Buffer.from(mac, 'base64url');
  const expected = macOf(key, claim);
  // Another text of the same bytes is no other token.
  const isWhole = given.toString('base64url') === mac && given.length === expected.length;
  if (!isWhole || !timingSafeEqual(given, expected)) return undefined;
  const [invitee = '', host = '', seconds = ''] = Buffer.from(claim, 'base64url').toString().split('/');
  const expiresMs = Number(seconds) * 1000;
  return expiresMs > nowMs ? { invitee, host, expiresMs } : undefined;
}

const macOf = (key: string, claim: string): Buffer =>
  createHmac('sha256', key).update(`slotstream answer\n${claim}`).digest();
