// The authorization server's answers: its metadata and its tokens. The flow is not shown (A25): RFC 6749, 7636, 8414.
import { z } from 'zod';
import { integer, text } from './wire.ts';

/** Beneath {auth_url}. */
export const metadataPath = '/.well-known/oauth-authorization-server';

const names = z.array(z.string()).nullish();

export const authorizationServerMetadata = z.looseObject({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  revocation_endpoint: z.url().nullish(),
  response_types_supported: names,
  grant_types_supported: names,
  code_challenge_methods_supported: names,
  token_endpoint_auth_methods_supported: names,
  scopes_supported: names,
});

/** Refresh tokens rotate: each answer brings the one for the next time. */
export const tokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string(),
  refresh_token: text,
  expires_in: integer.nullish(),
  /** Separated by spaces. */
  scope: text,
  /** Seconds since 1970. */
  created_at: integer.nullish(),
  /** The user's URI. */
  owner: text,
  organization: text,
});

/** What a client learns of a token (RFC 7662). */
export const introspectionAnswer = z.looseObject({
  active: z.boolean(),
  scope: text,
  client_id: text,
  token_type: text,
  /** Seconds since 1970. */
  exp: integer.nullish(),
  iat: integer.nullish(),
  owner: text,
  organization: text,
});

export type IntrospectionAnswer = z.output<typeof introspectionAnswer>;
export type AuthorizationServerMetadata = z.output<typeof authorizationServerMetadata>;
export type TokenAnswer = z.output<typeof tokenAnswer>;

export const oauthLifetimes = { codeSeconds: 60, accessSeconds: 7200, refreshDays: 365 } as const;
