// The `scope` parameter: names separated by spaces, all of them known.
import { apiScopes } from '#schemas/api-scope.ts';
import type { ApiScope } from '#schemas/api-scope.ts';
import { OAuthError } from './oauth-error.ts';

export const everyScope = Object.keys(apiScopes) as readonly ApiScope[];

/** Every scope when none is asked for. */
export function readScopes(text: string | undefined): readonly ApiScope[] {
  const asked = new Set((text ?? '').split(' ').filter((name) => name !== ''));
  if (asked.size === 0) return everyScope;
  if (![...asked].every((name) => Object.hasOwn(apiScopes, name)))
    throw new OAuthError('invalid_scope', 'A scope is not known here; the metadata lists those that are.');
  return everyScope.filter((name) => asked.has(name));
}
