// The OAuth clients: a public one, and a confidential one whose secret is derived from the seed.
import { timingSafeEqual } from 'node:crypto';
import { demand, invalidRequest, OAuthError, type Parameters } from './request.ts';
import { sha256, sha256Hex } from './tokens.ts';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Null: a public client, authenticated by PKCE alone. */
  readonly secret: string | null;
  /** Besides loopback addresses, which every client may use. */
  readonly redirectUris: readonly string[];
}

export type Clients = ReadonlyMap<string, Client>;

/** The same for the same seed. */
export function confidentialClient(seed: number): { readonly client_id: string; readonly client_secret: string } {
  const hex = (what: string): string => sha256Hex(`${seed} ${what}`);
  return { client_id: `client_${hex('client id').slice(0, 16)}`, client_secret: `secret_${hex('client secret')}` };
}

export function createClients(seed: number): Clients {
  const { client_id: id, client_secret: secret } = confidentialClient(seed);
  const redirectUris = ['https://app.example.test/oauth/callback'];
  return new Map<string, Client>([
    ['slotstream', { id: 'slotstream', name: 'Slotstream', secret: null, redirectUris: [] }],
    [id, { id, name: 'An application with a secret', secret, redirectUris }],
  ]);
}

/** Redirect URIs: an exact match of a registered one, or any port of this machine (RFC 8252, 7.3). */
export function redirectTarget(client: Client, uri: string): URL | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\#]/.test(uri)) return undefined;
  const url = URL.parse(uri);
  if (url === null) return undefined;
  return client.redirectUris.includes(uri) || isLoopback(url) ? url : undefined;
}

function isLoopback({ protocol, hostname, username, password }: URL): boolean {
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return false;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** By HTTP Basic or in the body, never both; a public client only sends its id. */
export function authenticateClient(
  clients: Clients,
  authorization: string | undefined,
  parameters: Parameters,
): Client {
  const { id, secret } =
    authorization === undefined
      ? { id: demand(parameters, 'client_id'), secret: parameters.get('client_secret') }
      : basicCredentials(authorization, parameters);
  const client = clients.get(id);
  if (client === undefined || !isRightSecret(client, secret))
    throw new OAuthError('invalid_client', 'The client is unknown, or its secret is wrong.');
  return client;
}

function basicCredentials(authorization: string, parameters: Parameters): { id: string; secret: string | undefined } {
  const encoded = /^Basic +([A-Za-z\d+/]{1,2048}={0,2})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined)
    throw new OAuthError('invalid_client', 'Send the header Authorization: Basic <client_id:client_secret>.');
  const credentials = { id: formDecoded(id), secret: secret === '' ? undefined : formDecoded(secret) };
  if (parameters.has('client_secret') || (parameters.get('client_id') ?? credentials.id) !== credentials.id)
    throw invalidRequest('The client credentials are sent twice.');
  return credentials;
}

/** RFC 6749, 2.3.1: both halves are form-encoded. A value that is not encoded is used unchanged. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function isRightSecret(client: Client, secret: string | undefined): boolean {
  if (client.secret === null || secret === undefined) return client.secret === (secret ?? null);
  return timingSafeEqual(sha256(client.secret), sha256(secret));
}
