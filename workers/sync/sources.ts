// The accounts that sync reads with: the configured token for what belongs to the organization, and the login of each user for what
// only that user may see.
import { SlotstreamError } from '#src/base/errors.ts';
import { isStatus } from '#src/upstream/api-error.ts';
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
export const accountOf = ({ client, organization, users }: Sources): Account => ({
  origin: client.origin,
  organization,
  user: users.find((one) => one.client === client)?.uri,
});

/** Whether a record is of the service that is read: it may name another host for its records than the one that is called. */
export const isOfService = ({ client, organization }: Sources, uri: string): boolean =>
  [client.origin, URL.parse(organization)?.origin].some((origin) => uri.startsWith(`${origin}/`));

export interface SourceUser {
  readonly uri: string;
  readonly client: Client;
}

/** Asks the service which user the token belongs to, unless ORGANIZATION_URI and USER_URI say it. */
export async function openSources(
  config: UpstreamConfig,
  needs: UpstreamNeeds = {},
  { signal, ...options }: UpstreamOptions & { readonly signal?: AbortSignal } = {},
): Promise<Sources> {
  const client = openUpstream(config, needs, options);
  const { organization, user } = await ownerOf(config.api, client, signal);
  const others = openUserUpstreams(config, needs, options).filter(
    (other) => other.user !== user && (other.organization ?? organization) === organization,
  );
  return {
    client,
    organization,
    users: [...(user === undefined ? [] : [user]), ...others].map((one) =>
      typeof one === 'string' ? { uri: one, client } : { uri: one.user, client: one.client },
    ),
  };
}

interface Owner {
  readonly organization: string;
  /** Undefined where the token may not say it: then its recaps cannot be listed. */
  readonly user: string | undefined;
}

async function ownerOf(
  { organizationUri, userUri }: UpstreamConfig['api'],
  client: Client,
  signal: AbortSignal | undefined,
): Promise<Owner> {
  if (organizationUri !== undefined && userUri !== undefined) return { organization: organizationUri, user: userUri };
  // Long work tolerates outages of the service; this first call fails soon when the service does not answer at all.
  const asked = getCurrentUser(client, { signal, retryBudget: retryBudgets.ordinary });
  const me = await asked
    .then(({ value }) => value)
    .catch((error: unknown) => {
      if (organizationUri === undefined || !isStatus(error, 403)) throw error;
    });
  const organization = organizationUri ?? me?.current_organization;
  if (organization == null)
    throw new SlotstreamError('config', 'The service does not say which organization the token belongs to.', {
      hint: 'Set ORGANIZATION_URI.',
    });
  if (me?.current_organization != null && me.current_organization !== organization)
    throw new SlotstreamError(
      'config',
      `ORGANIZATION_URI is ${organization}, but the token is of ${me.current_organization}: it would list other people.`,
      { hint: 'Set API_TOKEN (or the login) to one of that organization, or correct ORGANIZATION_URI.' },
    );
  return { organization, user: userUri ?? me?.uri };
}
