// Lists what exists: the account of the token, and the subscriptions at the service.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Config } from '#src/config/load.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { ApiError, isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { getCurrentUser, listOrganizationMemberships, listWebhookSubscriptions } from '#src/upstream/endpoints.ts';
import { ownerOf, type Owner } from './callback.ts';

export interface Callers {
  /** With the configured token, or the login for the organization. */
  readonly main: Client;
  /** One client per user who logged in, by URI: only the user can create user-scope subscriptions. */
  readonly logins: ReadonlyMap<string, Client>;
}

export interface Account {
  readonly organization: string;
  readonly user: string;
  readonly group: string | undefined;
}

export type AccountSettings = Pick<Config['api'], 'organizationUri' | 'userUri' | 'groupUri'>;

/** Calls the service only for what is not configured. */
export async function findAccount({ main }: Callers, settings: AccountSettings): Promise<Account> {
  const { organizationUri, userUri, groupUri: group } = settings;
  if (organizationUri !== undefined && userUri !== undefined)
    return { organization: organizationUri, user: userUri, group };
  const { value: user } = await getCurrentUser(main).catch((error: unknown) => {
    if (!isStatus(error, 403)) throw error;
    throw new SlotstreamError('refused', error.message, {
      hint: 'Give the token the scope users:read, or set ORGANIZATION_URI and USER_URI.',
      cause: error,
    });
  });
  const organization = organizationUri ?? user.current_organization ?? undefined;
  if (organization === undefined)
    throw new SlotstreamError('config', 'The user of the token belongs to no organization that GET /users/me names.', {
      hint: 'Set ORGANIZATION_URI to the URI of the organization to subscribe for.',
    });
  return { organization, user: userUri ?? user.uri, group };
}

/** Users whose recaps are accessible: the user of the token, and those who logged in. */
export function recapUsersOf({ logins }: Callers, { user }: Account): readonly string[] {
  return [...new Set([user, ...logins.keys()])];
}

export function callerFor({ main, logins }: Callers, { scope, uri }: Owner): Client {
  return (scope === 'user' ? logins.get(uri) : undefined) ?? main;
}

/** An owner whose subscriptions could not be listed, and why. */
export interface UnlistedOwner {
  readonly owner: Owner;
  readonly error: SlotstreamError;
  readonly isLoginExpired: boolean;
}

export interface Listing {
  readonly existing: readonly WebhookSubscription[];
  readonly unlisted: readonly UnlistedOwner[];
}

/** The owners whose subscriptions matter: those of the configuration, and those with a subscription when last seen. */
export function ownersToList(
  { organization, group }: Account,
  more: { readonly recapUsers: readonly string[]; readonly lastSeen: readonly WebhookSubscription[] },
): readonly Owner[] {
  const owners: Owner[] = [
    { scope: 'organization', organization, uri: organization },
    ...(group === undefined ? [] : [{ scope: 'group', organization, uri: group } as const]),
    ...more.recapUsers.map((uri) => ({ scope: 'user', organization, uri }) as const),
    ...more.lastSeen.map(ownerOf).filter((owner) => owner.organization === organization && owner.uri !== ''),
  ];
  return [...new Map(owners.map((owner) => [`${owner.scope} ${owner.uri}`, owner])).values()];
}

/** A list that is not allowed is reported, not fatal: creating a subscription is still possible, or is refused with a reason. */
export async function listExisting(callers: Callers, owners: readonly Owner[]): Promise<Listing> {
  const existing = new Map<string, WebhookSubscription>();
  const unlisted: UnlistedOwner[] = [];
  for (const owner of owners) {
    try {
      for (const one of await subscriptionsOf(callerFor(callers, owner), owner)) existing.set(one.uri, one);
    } catch (error) {
      unlisted.push({ owner, ...reasonOf(error, callers, owner) });
    }
  }
  return { existing: [...existing.values()], unlisted };
}

/** The expired login of one user does not stop the others; a service that is down, or that rejects our own token, does. */
function reasonOf(error: unknown, { logins }: Callers, { scope, uri }: Owner): Omit<UnlistedOwner, 'owner'> {
  if (isStatus(error, 403) || isStatus(error, 404)) return { error, isLoginExpired: false };
  if (!(error instanceof SlotstreamError) || isTransient(error)) throw error;
  const isOfLogin = scope === 'user' && logins.has(uri);
  if (isStatus(error, 401) && !isOfLogin) throw error;
  return { error, isLoginExpired: isOfLogin };
}

async function subscriptionsOf(client: Client, owner: Owner): Promise<readonly WebhookSubscription[]> {
  const { scope, organization, uri } = owner;
  const whose = scope === 'organization' ? {} : { [scope]: uri };
  const found: WebhookSubscription[] = [];
  for await (const page of listWebhookSubscriptions(client, { organization, scope, ...whose }))
    found.push(...page.items);
  return found;
}

/** Undefined when the token is not allowed to list the members. */
export async function countMembers({ main }: Callers, { organization }: Account): Promise<number | undefined> {
  let members = 0;
  try {
    for await (const page of listOrganizationMemberships(main, { organization })) members += page.records.length;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
  return members;
}
