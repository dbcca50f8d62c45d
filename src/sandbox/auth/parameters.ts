// The parameters of a request to the authorization server, from a query, a form or JSON.
import type { Context } from 'hono';
import { isObject } from '#schemas/wire.ts';
import { OAuthError } from './oauth-error.ts';

export type Parameters = ReadonlyMap<string, string>;

const longestValue = 4096;

export const queryParameters = (context: Context): Parameters =>
  parametersOf([...new URL(context.req.url).searchParams]);

export async function bodyParameters(context: Context): Promise<Parameters> {
  const type = (context.req.header('content-type') ?? '').replace(/\s*;.*$/, '').toLowerCase();
  const text = await context.req.text();
  if (type === 'application/json') return parametersOf(jsonEntries(text));
  if (type === 'application/x-www-form-urlencoded') return parametersOf([...new URLSearchParams(text)]);
  throw new OAuthError('invalid_request', 'Send a form: Content-Type: application/x-www-form-urlencoded.');
}

export function demand(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

/** RFC 6749, 3.1: a parameter without a value counts as absent, and none may be sent twice. */
function parametersOf(entries: readonly (readonly [string, string])[]): Parameters {
  const sent = entries.filter(([, value]) => value !== '');
  const parameters = new Map(sent);
  if (parameters.size < sent.length) throw new OAuthError('invalid_request', 'A parameter is given more than once.');
  if (sent.some(([, value]) => value.length > longestValue))
    throw new OAuthError('invalid_request', `A parameter is longer than ${longestValue} characters.`);
  return parameters;
}

function jsonEntries(text: string): [string, string][] {
  const entries = Object.entries(parseObject(text));
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw new OAuthError('invalid_request', 'Every parameter is a string.');
  return entries;
}

function parseObject(text: string): object {
  const refusal = new OAuthError('invalid_request', 'The body is not a JSON object.');
  try {
    const value = JSON.parse(text) as unknown;
    if (isObject(value)) return value;
  } catch {
    throw refusal;
  }
  throw refusal;
}
