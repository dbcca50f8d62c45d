// Tells a client whether one of its tokens is active, for whom and until when (RFC 7662). Of tokens of others it learns nothing.
import { oauthLifetimes, type IntrospectionAnswer } from '#schemas/oauth.ts';
import { dayMs, secondMs } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Client } from './clients.ts';
import type { Families, Tokens } from './tokens.ts';

export interface IntrospectionNeeds {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly families: Families;
}

interface Known {
  readonly client?: string;
  readonly user: string;
  readonly scopes: readonly string[];
  readonly expiresMs?: number;
}

export function introspection(needs: IntrospectionNeeds, client: Client, token: string): IntrospectionAnswer {
  const { service, tokens, families } = needs;
  const refresh = families.peek(token);
  const known: Known | undefined = refresh ?? tokens.grantOf(token);
  const lifetimeMs = refresh ? oauthLifetimes.refreshDays * dayMs : oauthLifetimes.accessSeconds * secondMs;
  const { state, clock } = service;
  const { expiresMs = 0, user = '', scopes = [] } = known ?? {};
  // Who was removed from the organization has no membership.
  const [membership] = state.memberships.of('user', user);
  if (known?.client !== client.id || expiresMs <= clock.nowMs() || membership === undefined) return { active: false };
  return {
    active: true,
    scope: scopes.join(' '),
    client_id: client.id,
    token_type: 'Bearer',
    exp: Math.floor(expiresMs / secondMs),
    iat: Math.floor((expiresMs - lifetimeMs) / secondMs),
    owner: user,
    organization: membership.organization,
  };
}
