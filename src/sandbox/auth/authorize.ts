// The rules of the authorization endpoint: where the response may be sent, what is requested, and which user approves.
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { userOfAddress } from '#src/sandbox/world/organizations.ts';
import type { State } from '#src/sandbox/world/service.ts';
import { redirectTarget, type Client, type Clients } from './clients.ts';
import { demand, invalidRequest, OAuthError, readScopes, type Parameters } from './request.ts';

/** A known client with a registered redirect URI: from here on, errors are sent to the client. */
export interface TrustedClient {
  readonly client: Client;
  readonly redirectUri: string;
  readonly target: URL;
}

/** Errors before this point are shown in the browser: redirecting them would make this server an open redirector. */
export function readTrusted(clients: Clients, parameters: Parameters): TrustedClient {
  const client = clients.get(demand(parameters, 'client_id'));
  if (client === undefined) throw invalidRequest('client_id is unknown.');
  const redirectUri = demand(parameters, 'redirect_uri');
  const target = redirectTarget(client, redirectUri);
  if (target === undefined)
    throw invalidRequest('redirect_uri must be an address registered for the client, or one of this machine.');
  return { client, redirectUri, target };
}

export interface Wish {
  /** Undefined: a confidential client without PKCE. */
  readonly challenge: string | undefined;
  readonly scopes: readonly ApiScope[];
}

export function readWish({ client }: TrustedClient, parameters: Parameters): Wish {
  if (demand(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  return { challenge: challengeOf(client, parameters), scopes: readScopes(parameters, everyScope) };
}

/** PKCE is required of a public client and optional for a confidential one. */
function challengeOf(client: Client, parameters: Parameters): string | undefined {
  const isAsked = parameters.has('code_challenge') || parameters.has('code_challenge_method');
  if (client.secret !== null && !isAsked) return undefined;
  const challenge = demand(parameters, 'code_challenge');
  // Without a method RFC 7636 means `plain`, which offers no protection against anyone who reads the request.
  if (parameters.get('code_challenge_method') !== 'S256') throw invalidRequest('code_challenge_method must be S256.');
  if (!/^[\w-]{43}$/.test(challenge))
    throw invalidRequest('code_challenge must be a SHA-256 in base64url: 43 characters.');
  return challenge;
}

/** `login_hint`: an e-mail address, or the user's URI. */
export function hintedUser(state: State, parameters: Parameters): UserResource | undefined {
  const hint = parameters.get('login_hint');
  return hint === undefined ? undefined : (state.users.get(hint) ?? userOfAddress(state, hint));
}

/** The user who approves without a page; undefined: a page asks for the user. */
export function silentUser(state: State, parameters: Parameters): UserResource | undefined {
  if (!(parameters.get('prompt') ?? '').split(' ').includes('none')) return undefined;
  const user = hintedUser(state, parameters);
  if (user === undefined)
    throw new OAuthError('login_required', 'prompt=none needs login_hint: the address or the URI of a user.');
  return user;
}

export function chosenUser(state: State, parameters: Parameters): UserResource {
  if (parameters.has('deny')) throw new OAuthError('access_denied', 'The user denied access.');
  const user = state.users.get(demand(parameters, 'user'));
  if (user === undefined) throw invalidRequest('user is unknown.');
  return user;
}
