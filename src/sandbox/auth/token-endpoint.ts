// The token endpoint: exchanges a code or a refresh token for a pair of tokens.
import { timingSafeEqual } from 'node:crypto';
import { missingScopes } from '#schemas/api-scope.ts';
import { oauthLifetimes, type TokenAnswer } from '#schemas/oauth.ts';
import { secondMs } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { sha256, type Codes, type Families, type Pair } from './tokens.ts';
import type { Client } from './clients.ts';
import { demand, OAuthError, readScopes, type Parameters } from './request.ts';

export interface TokenNeeds {
  readonly service: Service;
  readonly codes: Codes;
  readonly families: Families;
}

const invalidGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description);

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
  if (issued?.client !== client.id) throw invalidGrant('The code is unknown.');
  if (issued.family !== undefined) {
    families.end(issued.family);
    throw invalidGrant('The code was used before; its tokens are revoked.');
  }
  if (issued.isExpired) throw invalidGrant('The code has expired.');
  if (issued.redirectUri !== redirectUri) throw invalidGrant('redirect_uri is not the one the code was sent to.');
  if (!provesChallenge(verifier, issued.challenge))
    throw invalidGrant('code_verifier does not match the code_challenge.');
  return answerOf(service, issued.user, () => {
    const pair = families.begin(issued);
    codes.spend(code, pair.family);
    return pair;
  });
}

const verifierForm = /^[\w.~-]{43,128}$/;

/** RFC 7636, S256. A verifier without a challenge is refused: an attacker may have removed the challenge from the request. */
function provesChallenge(verifier: string | undefined, challenge: string | undefined): boolean {
  if (verifier === undefined || challenge === undefined) return verifier === challenge;
  const made = Buffer.from(sha256(verifier).toString('base64url'));
  const asked = Buffer.from(challenge);
  return verifierForm.test(verifier) && made.length === asked.length && timingSafeEqual(made, asked);
}

function refresh({ service, families }: TokenNeeds, client: Client, parameters: Parameters): TokenAnswer {
  const family = families.find(demand(parameters, 'refresh_token'), client.id);
  if (family === undefined)
    throw invalidGrant('The refresh token is unknown, was used before, was revoked, or has expired.');
  const scopes = readScopes(parameters, family.scopes);
  if (missingScopes(family.scopes, scopes).length > 0)
    throw new OAuthError('invalid_scope', 'A refresh cannot add scopes.');
  return answerOf(service, family.user, () => families.renew(family, scopes));
}

function answerOf({ state, clock }: Service, user: string, issue: () => Pair): TokenAnswer {
  const organization = state.users.get(user)?.current_organization;
  if (organization === undefined) throw invalidGrant('The user does not exist.');
  const { access, refresh: next, scopes } = issue();
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
