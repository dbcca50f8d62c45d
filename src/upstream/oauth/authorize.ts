// Logging in: the authorization code flow with PKCE, its answer caught by a listener on this machine (RFC 6749, 7636, 8252, 9207).
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthorizationServerMetadata, TokenAnswer } from '#schemas/oauth.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { discover, type OAuthApplication, type OAuthNeeds } from './authorization-server.ts';

export interface LoginNeeds extends OAuthNeeds {
  /** So many random bytes, for what nobody may guess. */
  readonly randomBytes: (count: number) => Buffer;
  /** Shows the address that the person opens in a browser. */
  readonly show: (url: string) => void;
}

export interface LoginInput {
  readonly application: OAuthApplication;
  readonly scopes: readonly string[];
  /** 0: any free one. Some services want the redirect address registered with its port. */
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
  return server.trade(grant, signal);
}

interface Expected {
  readonly state: string;
  readonly metadata: AuthorizationServerMetadata;
}

interface Listener extends AsyncDisposable {
  readonly redirectUri: string;
  /** The code of the first answer that is ours; what is not ours is turned away and waited past. */
  codeFor(expected: Expected, signal: AbortSignal): Promise<string>;
}

const path = '/callback';

async function listen(port: number): Promise<Listener> {
  const server = createServer({ requestTimeout: 10_000 });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new SlotstreamError('config', `127.0.0.1:${port} cannot be listened on.`, {
      hint: 'Choose another with --port (0: any free one).',
      cause,
    });
  });
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    codeFor: (expected, signal) =>
      new Promise<string>((resolve, reject) => {
        const stop = (): void => reject(stopped());
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        server.on('request', (request: IncomingMessage, response: ServerResponse) => {
          const turn = judge(request, expected);
          // The person reads the page first: what comes next may close the listener.
          tell(response, turn).on('close', () => {
            if (turn.kind === 'code') resolve(turn.code);
            if (turn.kind === 'refused') reject(turn.error);
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
  new SlotstreamError('refused', 'Nobody finished the login in time, or it was stopped.', {
    hint: 'Log in again: npx slotstream login',
  });

type Turn =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'refused'; readonly error: SlotstreamError }
  | { readonly kind: 'foreign'; readonly status: 400 | 404 };

/** Any page in the browser can send it here: only an answer with our own `state`, of our own issuer, counts. */
function judge(request: IncomingMessage, { state, metadata }: Expected): Turn {
  const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
  if (request.method !== 'GET' || url?.pathname !== path) return { kind: 'foreign', status: 404 };
  const told = (name: string): string | null => url.searchParams.get(name);
  if (!isSame(told('state') ?? '', state)) return { kind: 'foreign', status: 400 };
  const issuer = told('iss');
  const mustTell = metadata['authorization_response_iss_parameter_supported'] === true;
  if (issuer === null ? mustTell : issuer !== metadata.issuer) return { kind: 'foreign', status: 400 };
  const code = told('code');
  if (code !== null && code !== '') return { kind: 'code', code };
  const reason = /^\w{1,60}$/.exec(told('error') ?? '')?.[0] ?? 'no code came back';
  return {
    kind: 'refused',
    error: new SlotstreamError('refused', `The login was not granted (${reason}).`, {
      hint: 'Log in again and allow it: npx slotstream login',
    }),
  };
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

function tell(response: ServerResponse, turn: Turn): ServerResponse {
  const [status, text] =
    turn.kind === 'code'
      ? [200, 'You are logged in. You can close this page and go back to the terminal.']
      : turn.kind === 'refused'
        ? [200, 'The login was not granted. You can close this page; the terminal says more.']
        : [turn.status, 'This is not an answer to the login that was begun.'];
  return response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`${text}\n`);
}
