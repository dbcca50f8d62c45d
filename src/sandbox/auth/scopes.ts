// The `scope` parameter: known scopes separated by spaces.
import { everyScope, isApiScope, type ApiScope } from '#schemas/api-scope.ts';
import { OAuthError } from './oauth-error.ts';

/** Scopes that OAuth libraries add: `default` requests all scopes, and every token can be refreshed anyway. */
const everything = 'default';
const ignored = 'offline_access';

/** Without a requested scope, all of them. */
export function readScopes(text: string | undefined, all: readonly ApiScope[]): readonly ApiScope[] {
  const asked = new Set((text ?? '').split(' ').filter((name) => name !== '' && name !== ignored));
  const isWhole = asked.delete(everything) || asked.size === 0;
  if (![...asked].every(isApiScope))
    throw new OAuthError('invalid_scope', 'A scope is unknown; the metadata lists the supported ones.');
  return isWhole ? all : everyScope.filter((name) => asked.has(name));
}
