// The tokens of the admin listener: how a text is compared with one, and the sessions that begin with it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { minTokenLength } from '#src/api/running-instance.ts';
import { createSessions, type Sessions } from './session.ts';

/** Someone who has a token, or a session that began with it. */
export interface TokenHolder {
  readonly isReadOnly: boolean;
  isToken(text: string): boolean;
  isBearer(text: string): boolean;
  readonly sessions: Sessions;
}

export function holderOf(
  token: string,
  { clock, isReadOnly }: Pick<TokenHolder, 'isReadOnly'> & { clock(): number },
): TokenHolder {
  if (token.length < minTokenLength) throw new Error(`The admin token has fewer than ${minTokenLength} characters.`);
  const sessions = createSessions(token, { clock });
  return { isReadOnly, isToken: equalTo(token), isBearer: equalToBearer(token), sessions };
}

/** Whether a header `Authorization` holds this token; `bearer` may be written in any case. */
export function equalToBearer(token: string): (header: string) => boolean {
  const isToken = equalTo(`Bearer ${token}`);
  return (header) => isToken(header.replace(/^bearer(?= )/i, 'Bearer'));
}

/** Compares digests, which have one length, so the duration does not reveal the length of the token. */
export function equalTo(expected: string): (text: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expectedDigest = digest(expected);
  return (text) => timingSafeEqual(digest(text), expectedDigest);
}
