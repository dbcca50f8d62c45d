// The token endpoint: exchanges a code or a refresh token for a pair of tokens.
import { missingScopes } from '#schemas/api-scope.ts';
import { oauthLifetimes, type TokenAnswer } from '#schemas/oauth.ts';
import { secondMs } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Client } from './clients.ts';
import { provesChallenge, type Codes } from './codes.ts';
import type { Families, Family, Pair } from './refresh-token-families.ts';
import { OAuthError } from './oauth-error.ts';
import { demand, type Parameters } from './parameters.ts';
import { readScopes } from './scopes.ts';

export interface TokenNeeds {
  readonly service: Service;
  readonly codes: Codes;
  readonly families: Families;
}

export function giveTokens(needs: TokenNeeds, client: Client, parameters: Parameters): TokenAnswer {
  switch (demand(parameters, 'grant_type')) {
    case 'authorization_code':
      return exchangeCode(needs, client, parameters);
    case 'refresh_token':
      return refresh(needs, client, parameters);
    default:
      throw new OAuthError('unsupported_grant_type', 'Supported are authorization_code and refresh_token.');
  }
}

function exchangeCode({ service, codes, families }: TokenNeeds, client: Client, parameters: Parameters): TokenAnswer {
  const code = demand(parameters, 'code');
  const redirectUri = demand(parameters, 'redirect_uri');
  const verifier = client.secret === null ? demand(parameters, 'code_verifier') : parameters.get('code_verifier');
  const issued = codes.find(code);
  if (issued?.client !== client.id) throw new OAuthError('invalid_grant', 'The code is unknown.');
  if (issued.family !== undefined) {
    families.end(issued.family);
    throw new OAuthError('invalid_grant', 'The code was used before; its tokens are revoked.');
  }
  if (issued.isExpired) throw new OAuthError('invalid_grant', 'The code has expired.');
  if (issued.redirectUri !== redirectUri)
    throw new OAuthError('invalid_grant', 'redirect_uri is not the one the code was sent to.');
  if (!provesChallenge(verifier, issued.challenge))
    throw new OAuthError('invalid_grant', 'code_verifier does not match the code_challenge.');
  const organization = organizationOf(service, issued.user);
  const pair = families.begin(issued);
  codes.spend(code, pair.family);
  return answerOf(service, pair, { user: issued.user, organization });
}

function refresh({ service, families }: TokenNeeds, client: Client, parameters: Parameters): TokenAnswer {
  const family = families.find(demand(parameters, 'refresh_token'), client.id);
  if (family === undefined)
    throw new OAuthError(
      'invalid_grant',
      'The refresh token is unknown, was used before, was revoked, or has expired.',
    );
  const scopes = narrowed(family, parameters.get('scope'));
  const organization = organizationOf(service, family.user);
  return answerOf(service, families.renew(family, scopes), { user: family.user, organization });
}

function narrowed({ scopes }: Family, asked: string | undefined): Family['scopes'] {
  const wanted = readScopes(asked, scopes);
  if (missingScopes(scopes, wanted).length > 0) throw new OAuthError('invalid_scope', 'A refresh cannot add scopes.');
  return wanted;
}

function organizationOf({ state }: Service, user: string): string {
  const organization = state.users.get(user)?.current_organization;
  if (organization === undefined) throw new OAuthError('invalid_grant', 'The user does not exist.');
  return organization;
}

function answerOf(
  { clock }: Service,
  { access, refresh: next, scopes }: Pair,
  { user, organization }: { user: string; organization: string },
): TokenAnswer {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: oauthLifetimes.accessSeconds,
    refresh_token: next,
    scope: scopes.join(' '),
    created_at: Math.floor(clock.nowMs() / secondMs),
    owner: user,
    organization,
  };
}
