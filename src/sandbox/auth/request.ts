// A request to the authorization server: its parameters from a query, a form or JSON, its scopes, and the errors of RFC 6749 and,
// for requests without interaction, of OpenID Connect.
import type { Context } from 'hono';
import { everyScope, isApiScope, type ApiScope } from '#schemas/api-scope.ts';
import { isObject } from '#schemas/wire.ts';

export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  get body(): { readonly error: OAuthErrorCode; readonly error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}

export const invalidRequest = (description: string): OAuthError => new OAuthError('invalid_request', description);

export type Parameters = ReadonlyMap<string, string>;

const longestValue = 4096;

export async function parametersOf({ req }: Context): Promise<Parameters> {
  if (req.method !== 'POST') return checked([...new URL(req.url).searchParams]);
  const type = (req.header('content-type') ?? '').replace(/\s*;.*$/, '').toLowerCase();
  const text = await req.text();
  if (type === 'application/json') return checked(jsonEntries(text));
  if (type === 'application/x-www-form-urlencoded') return checked([...new URLSearchParams(text)]);
  throw invalidRequest('Send a form: Content-Type: application/x-www-form-urlencoded.');
}

/** RFC 6749, 3.1: a parameter without a value counts as absent, and none may be sent twice. */
function checked(entries: readonly (readonly [string, string])[]): Parameters {
  const sent = entries.filter(([, value]) => value !== '');
  const parameters = new Map(sent);
  if (parameters.size < sent.length) throw invalidRequest('A parameter is given more than once.');
  if (sent.some(([, value]) => value.length > longestValue))
    throw invalidRequest(`A parameter is longer than ${longestValue} characters.`);
  return parameters;
}

function jsonEntries(text: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isObject(value)) throw invalidRequest('The body is not a JSON object.');
  const entries = Object.entries(value);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw invalidRequest('Every parameter is a string.');
  return entries;
}

export function demand(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalidRequest(`${name} is missing.`);
  return value;
}

/** Scopes that OAuth libraries add: `default` requests all scopes, and every token can be refreshed anyway. */
const everything = 'default';
const ignored = 'offline_access';

/** The `scope` parameter: known scopes separated by spaces; without one, all of them. */
export function readScopes(parameters: Parameters, all: readonly ApiScope[]): readonly ApiScope[] {
  const names = (parameters.get('scope') ?? '').split(' ');
  const asked = new Set(names.filter((name) => name !== '' && name !== ignored));
  const isWhole = asked.delete(everything) || asked.size === 0;
  if (![...asked].every(isApiScope))
    throw new OAuthError('invalid_scope', 'A scope is unknown; the metadata lists the supported ones.');
  return isWhole ? all : everyScope.filter((name) => asked.has(name));
}
