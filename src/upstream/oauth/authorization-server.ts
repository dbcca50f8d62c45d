// The authorization server: its published metadata, and its token endpoint. Secrets go to its configured origin only.
import type { z } from 'zod';
import {
  authorizationServerMetadata,
  metadataPath,
  oauthErrorBody,
  tokenAnswer,
  type AuthorizationServerMetadata,
  type TokenAnswer,
} from '#schemas/oauth.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { safeText } from '#src/observability/redact.ts';
import { attempt, type Attempt, type AttemptNeeds } from '#src/upstream/send-once.ts';
import { requestedDelayMs, httpRetryDelayMs } from '#src/base/retry-after.ts';
import { stopIfAsked } from '#src/upstream/abort.ts';

export interface OAuthApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authUrl: string;
}

export interface OAuthNeeds extends AttemptNeeds {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface AuthorizationServer {
  readonly metadata: AuthorizationServerMetadata;
  /** Trades a code or a refresh token for tokens. */
  trade(grant: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<TokenAnswer>;
}

const timeouts = { answerMs: 15_000, wholeMs: 30_000 } as const;

export async function discover(
  needs: OAuthNeeds,
  application: OAuthApplication,
  signal?: AbortSignal,
): Promise<AuthorizationServer> {
  const url = new URL(application.authUrl + metadataPath);
  const answer = await ask(needs, {
    url,
    init: { headers: { accept: 'application/json' } },
    what: 'its metadata',
    signal,
  });
  const read = authorizationServerMetadata.safeParse(answer.body);
  if (answer.status !== 200 || !read.success)
    throw wrongServer(`AUTH_URL does not publish the metadata of an authorization server (${answer.status}).`);
  const metadata = read.data;
  checkMetadata(metadata, application);
  return { metadata, trade: (grant, stop) => trade(needs, { metadata, application, grant, signal: stop }) };
}

/** A server that names another issuer, or sends secrets elsewhere, is not the one that was configured. */
function checkMetadata(metadata: AuthorizationServerMetadata, { authUrl }: OAuthApplication): void {
  const { issuer, token_endpoint, authorization_endpoint, code_challenge_methods_supported: methods } = metadata;
  if (issuer.replace(/\/+$/, '') !== authUrl)
    throw wrongServer('The authorization server at AUTH_URL names another issuer than that address.');
  if (new URL(token_endpoint).origin !== new URL(authUrl).origin)
    throw wrongServer('The token endpoint of the authorization server is not at AUTH_URL.');
  if (!/^https?:/.test(authorization_endpoint)) throw wrongServer('The authorization endpoint is no web address.');
  if (methods && !methods.includes('S256')) throw wrongServer('The authorization server does not know PKCE with S256.');
}

const wrongServer = (message: string): SlotstreamError =>
  new SlotstreamError('refused', message, { hint: 'Set AUTH_URL to the authorization server of the service.' });

interface Trade {
  readonly metadata: AuthorizationServerMetadata;
  readonly application: OAuthApplication;
  readonly grant: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

async function trade(needs: OAuthNeeds, { metadata, application, grant, signal }: Trade): Promise<TokenAnswer> {
  const { clientId, clientSecret } = application;
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const byBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  const init = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!byBody && { authorization: basic(clientId, clientSecret) }),
    },
    body: new URLSearchParams({
      ...grant,
      ...(byBody && { client_id: clientId, client_secret: clientSecret }),
    }).toString(),
  };
  // A refresh token that was sent is spent: its answer is waited for, since without it the user must log in again.
  const mustHear = grant['grant_type'] === 'refresh_token';
  const url = new URL(metadata.token_endpoint);
  const answer = await ask(needs, { url, init, what: 'tokens', signal, mustHear });
  if (answer.status !== 200) throw refusalOf(answer);
  return understood(tokenAnswer, answer.body);
}

/** RFC 6749, 2.3.1: both halves are form-encoded first. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((half) => new URLSearchParams({ half }).toString().slice('half='.length)).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
}

function understood<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new SlotstreamError('service_answer', 'The authorization server gave an answer that cannot be understood.', {
    hint: 'Check AUTH_URL.',
  });
}

/** `reason`: the error code of RFC 6749; blank when the server gave none. */
export class OAuthRefusal extends SlotstreamError {
  override readonly name = 'OAuthRefusal';
  readonly reason: string;

  constructor(status: number, reason: string) {
    super('refused', `The authorization server refused (${status}${reason === '' ? '' : ` ${reason}`}).`, {
      hint:
        reason === 'invalid_client'
          ? 'Check OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.'
          : 'Log in again: npx slotstream login',
    });
    this.reason = reason;
  }
}

function refusalOf({ status, body }: Answer): OAuthRefusal {
  const read = oauthErrorBody.safeParse(body);
  const reason = read.success && /^\w{1,60}$/.test(read.data.error) ? safeText(read.data.error) : '';
  return new OAuthRefusal(status, reason);
}

type Answer = Extract<Attempt, { kind: 'answered' }>;

interface Asking {
  readonly url: URL;
  readonly init: RequestInit;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** What was sent is not broken off; nothing more is sent. */
  readonly mustHear?: boolean;
}

const mostTries = 4;

/** Repeats only what cannot have been carried out: codes and refresh tokens work once, and a second use is taken for theft. */
async function ask(needs: OAuthNeeds, { url, init, what, signal, mustHear = false }: Asking): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    stopIfAsked(signal);
    const tried = await attempt(needs, { url, init, timeouts, signal: mustHear ? undefined : signal });
    const mayRepeat = tried.kind === 'failed' ? !tried.wasSent : tried.status === 429 || tried.status === 503;
    if (tried.kind === 'answered' && !mayRepeat && tried.status < 500) return tried;
    if (!mayRepeat || tries === mostTries)
      throw new SlotstreamError(
        'service_unavailable',
        `The authorization server could not be asked for ${what}: ${tried.kind === 'failed' ? tried.why : `it answered ${tried.status}`}.`,
        { hint: 'Check AUTH_URL and the network, or try again later.' },
      );
    const requestedMs = tried.kind === 'answered' ? requestedDelayMs(tried, needs.nowMs()) : undefined;
    await needs.sleep(
      Math.min(httpRetryDelayMs({ failures: tries, requestedMs, random: needs.random() }), 10_000),
      signal,
    );
  }
}
