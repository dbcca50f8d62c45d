// The `scope` parameter: names separated by spaces, all of them known.
import { apiScopes } from '#schemas/api-scope.ts';
import type { ApiScope } from '#schemas/api-scope.ts';
import { OAuthError } from './oauth-error.ts';

export const everyScope = Object.keys(apiScopes) as readonly ApiScope[];

/** Words that OAuth libraries send of themselves: `default` asks for all there is, and every token can be refreshed anyway. */
const everything = 'default';
const ignored = 'offline_access';

/** All that can be had when none is asked for. */
export function readScopes(text: string | undefined, all: readonly ApiScope[]): readonly ApiScope[] {
  const asked = new Set((text ?? '').split(' ').filter((name) => name !== '' && name !== ignored));
  const isWhole = asked.delete(everything) || asked.size === 0;
  if (![...asked].every((name) => Object.hasOwn(apiScopes, name)))
    throw new OAuthError('invalid_scope', 'A scope is not known here; the metadata lists those that are.');
  return isWhole ? all : everyScope.filter((name) => asked.has(name));
}
