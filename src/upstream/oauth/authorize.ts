// The authorization code flow with PKCE; a listener on this machine receives the redirect (RFC 6749, 7636, 8252, 9207).
import { slotstream } from '#src/base/command.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AuthorizationServerMetadata, TokenAnswer } from '#schemas/oauth.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { discover, type OAuthApplication, type OAuthNeeds } from './authorization-server.ts';

export interface LoginNeeds extends OAuthNeeds {
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Buffer;
  /** Shows the URL for the person to open in a browser. */
  readonly show: (url: string) => void;
}

export interface LoginInput {
  readonly application: OAuthApplication;
  readonly scopes: readonly string[];
  /** 0: any free port. Some services require the redirect URL to be registered with its port. */
  readonly port: number;
  readonly signal: AbortSignal;
}

export async function authorize(needs: LoginNeeds, input: LoginInput): Promise<TokenAnswer> {
  const { application, scopes, port, signal } = input;
  const server = await discover(needs, application, signal);
  const [verifier, state] = [needs.randomBytes(32), needs.randomBytes(24)].map((bytes) => bytes.toString('base64url'));
  await using listener = await listen(port);
  const url = new URL(server.metadata.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: listener.redirectUri,
    scope: scopes.join(' '),
    state: state ?? '',
    code_challenge: createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  needs.show(url.href);
  const code = await listener.codeFor({ state: state ?? '', metadata: server.metadata }, signal);
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: listener.redirectUri,
    code_verifier: verifier ?? '',
  };
  return await server.exchange(grant, signal);
}

interface Expected {
  readonly state: string;
  readonly metadata: AuthorizationServerMetadata;
}

interface Listener extends AsyncDisposable {
  readonly redirectUri: string;
  /** Resolves with the code of the first valid redirect; rejects other requests with 400 or 404 and goes on waiting. */
  codeFor(expected: Expected, signal: AbortSignal): Promise<string>;
}

const path = '/callback';

async function listen(port: number): Promise<Listener> {
  const server = createServer({ requestTimeout: 10_000 });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new SlotstreamError('config', `Cannot listen on 127.0.0.1:${port}.`, {
      hint: 'Choose another port with --port (0: any free one).',
      cause,
    });
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    redirectUri: `http://127.0.0.1:${boundPort}${path}`,
    codeFor: (expected, signal) =>
      new Promise<string>((resolve, reject) => {
        const stop = (): void => reject(stopped());
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        server.on('request', (request: IncomingMessage, response: ServerResponse) => {
          const result = readRedirect(request, expected);
          // The page is sent first: the next step may close the listener.
          respond(response, result).on('close', () => {
            if (result.kind === 'code') resolve(result.code);
            if (result.kind === 'denied') reject(result.error);
          });
        });
      }),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const stopped = (): SlotstreamError =>
  new SlotstreamError('refused', 'The login was not completed in time, or it was stopped.', {
    hint: `Log in again: ${slotstream} login`,
  });

type Redirect =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: SlotstreamError }
  | { readonly kind: 'invalid'; readonly status: 400 | 404 };

/** Any page in the browser can call this URL: only a redirect with our own `state`, from our issuer, is accepted. */
function readRedirect(request: IncomingMessage, { state, metadata }: Expected): Redirect {
  const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
  if (request.method !== 'GET' || url?.pathname !== path) return { kind: 'invalid', status: 404 };
  const parameter = (name: string): string | null => url.searchParams.get(name);
  if (!isSame(parameter('state') ?? '', state)) return { kind: 'invalid', status: 400 };
  const issuer = parameter('iss');
  const isIssuerRequired = metadata['authorization_response_iss_parameter_supported'] === true;
  if (issuer === null ? isIssuerRequired : issuer !== metadata.issuer) return { kind: 'invalid', status: 400 };
  const code = parameter('code');
  if (code !== null && code !== '') return { kind: 'code', code };
  const reason = /^\w{1,60}$/.exec(parameter('error') ?? '')?.[0] ?? 'no code was returned';
  return {
    kind: 'denied',
    error: new SlotstreamError('refused', `The login was not granted (${reason}).`, {
      hint: `Log in again and allow it: ${slotstream} login`,
    }),
  };
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

function respond(response: ServerResponse, result: Redirect): ServerResponse {
  const [status, text] =
    result.kind === 'code'
      ? [200, 'You are logged in. You can close this page and go back to the terminal.']
      : result.kind === 'denied'
        ? [200, 'The login was not granted. You can close this page; the terminal shows the reason.']
        : [result.status, 'This request does not belong to the login that was started.'];
  return response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`${text}\n`);
}
