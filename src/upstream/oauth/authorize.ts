// The authorization code flow with PKCE, from the question in the browser to the tokens (RFC 6749, 7636, 9207).
import * as oauth from 'oauth4webapi';
import type { ApiScope } from '#schemas/api-scope.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { discover, reasonOf, wrongServer, type OAuthApplication, type OAuthNeeds } from './authorization-server.ts';
import { listenForRedirect, type ReadRedirect } from './redirect-listener.ts';

export interface LoginNeeds extends OAuthNeeds {
  /** Shows the URL for the person to open in a browser. */
  readonly show: (url: string) => void;
  /** Asks the person for the address that the browser was sent to, until `read` accepts it. */
  readonly askForRedirect: (read: ReadRedirect, signal: AbortSignal) => Promise<URLSearchParams>;
}

export interface LoginInput {
  readonly scopes: readonly ApiScope[];
  /** An http address is one of this machine, where we listen (port 0: any free one); for any other the person is asked. */
  readonly redirectUri: string;
  readonly signal: AbortSignal;
}

export async function authorize(needs: LoginNeeds, application: OAuthApplication, input: LoginInput) {
  const { scopes: requested, signal } = input;
  const { metadata, exchange } = await discover(needs, application, signal);
  const { code_challenge_methods_supported: methods } = metadata;
  if (methods?.includes('S256') === false)
    throw wrongServer('The authorization server does not support PKCE with S256.');
  await using listener = input.redirectUri.startsWith('http:') ? await listenForRedirect(input.redirectUri) : undefined;
  const redirectUri = listener?.redirectUri ?? input.redirectUri;
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const url = new URL(metadata.authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: redirectUri,
    scope: requested.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  needs.show(url.href);
  const validate = (address: URL) =>
    oauth.validateAuthResponse(metadata, { client_id: application.clientId }, address, state);
  const read: ReadRedirect = (text) => readRedirect(URL.parse(text, redirectUri), { redirectUri, requested, validate });
  const redirect = await (listener?.receive(read, signal) ?? needs.askForRedirect(read, signal));
  return await exchange(redirect, { redirectUri, verifier });
}

interface ExpectedRedirect {
  readonly redirectUri: string;
  readonly requested: readonly ApiScope[];
  readonly validate: (address: URL) => URLSearchParams;
}

/** Any page in the browser can call this URL: only a redirect with our own `state`, from our issuer, is accepted. */
function readRedirect(address: URL | null, expected: ExpectedRedirect): ReturnType<ReadRedirect> {
  const { origin, pathname } = new URL(expected.redirectUri);
  if (address?.origin !== origin || address.pathname !== pathname) return { kind: 'elsewhere' };
  let reason = 'no code was returned';
  try {
    const parameters = expected.validate(address);
    if (parameters.get('code')) return { kind: 'code', parameters };
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) return { kind: 'foreign' };
    reason = reasonOf(error) || reason;
  }
  const hint =
    reason === 'invalid_scope'
      ? `Select these scopes in the settings of the OAuth application: ${expected.requested.join(', ')}. Then log in again: ${slotstream} login`
      : `Log in again and allow it: ${slotstream} login`;
  return { kind: 'denied', error: new SlotstreamError('refused', `The login was not granted (${reason}).`, { hint }) };
}
