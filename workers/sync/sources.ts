// The accounts that sync reads with: the configured token for what belongs to the organization, and the login of each user for what
// only that user may see.
import { SlotstreamError } from '#src/base/errors.ts';
import type { Client } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { getCurrentUser } from '#src/upstream/endpoints.ts';
import type { Account } from './mirror-identity.ts';
import {
  openUpstream,
  openUserUpstreams,
  type UpstreamConfig,
  type UpstreamNeeds,
  type UpstreamOptions,
} from '#src/upstream/clients.ts';

export interface Sources {
  readonly client: Client;
  readonly organization: string;
  /** The users whose recaps can be read: the token's own, and everyone who ran `slotstream login`. */
  readonly users: readonly SourceUser[];
}

/** The account that the sources read. */
export const accountOf = ({ client, organization }: Sources): Account => ({ origin: client.origin, organization });

export interface SourceUser {
  readonly uri: string;
  readonly client: Client;
}

/** Asks the service which user the token belongs to. */
export async function openSources(
  config: UpstreamConfig,
  needs: UpstreamNeeds = {},
  { signal, ...options }: UpstreamOptions & { readonly signal?: AbortSignal } = {},
): Promise<Sources> {
  // Long work tolerates outages of the service; this first call fails soon when the service does not answer at all.
  const asking = openUpstream(config, needs, { ...options, retryBudget: retryBudgets.ordinary });
  const { value: me } = await getCurrentUser(asking, signal && { signal });
  const client = openUpstream(config, needs, options);
  const organization = config.api.organizationUri ?? me.current_organization;
  if (organization == null)
    throw new SlotstreamError('config', 'The service does not say which organization the token belongs to.', {
      hint: 'Set ORGANIZATION_URI.',
    });
  if (me.current_organization != null && me.current_organization !== organization)
    throw new SlotstreamError(
      'config',
      `ORGANIZATION_URI is ${organization}, but the token is of ${me.current_organization}: it would list other people.`,
      { hint: 'Set API_TOKEN (or the login) to one of that organization, or correct ORGANIZATION_URI.' },
    );
  const others = openUserUpstreams(config, needs, options).filter(
    (other) => other.user !== me.uri && (other.organization ?? organization) === organization,
  );
  return {
    client,
    organization,
    users: [{ uri: me.uri, client }, ...others.map(({ user, client }) => ({ uri: user, client }))],
  };
}
