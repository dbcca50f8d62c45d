// What is there before anything is done: who we are to the service, and which subscriptions it has.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { ApiError, isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { getCurrentUser, listOrganizationMemberships } from '#src/upstream/endpoints/users.ts';
import { listWebhookSubscriptions } from '#src/upstream/endpoints/webhook-subscriptions.ts';
import { ownerOf, type Owner } from './callback.ts';

/** Who calls the service for us. */
export interface Callers {
  /** With the configured token, or the login that speaks for the organization. */
  readonly main: Client;
  /** Each user who logged in, by URI: user-scope subscriptions can be made by that user alone. */
  readonly logins: ReadonlyMap<string, Client>;
}

export interface Account {
  readonly organization: string;
  readonly user: string;
  readonly group: string | undefined;
}

export interface AccountSettings {
  readonly organizationUri: string | undefined;
  readonly userUri: string | undefined;
  readonly groupUri: string | undefined;
}

/** Asks the service only for what is not configured. */
export async function findAccount({ main }: Callers, settings: AccountSettings): Promise<Account> {
  const { organizationUri, userUri, groupUri: group } = settings;
  if (organizationUri !== undefined && userUri !== undefined)
    return { organization: organizationUri, user: userUri, group };
  const { value: user } = await getCurrentUser(main);
  const organization = organizationUri ?? user.current_organization ?? undefined;
  if (organization === undefined)
    throw new SlotstreamError('config', 'The user of the token belongs to no organization that GET /users/me names.', {
      hint: 'Set ORGANIZATION_URI to the URI of the organization to subscribe for.',
    });
  return { organization, user: userUri ?? user.uri, group };
}

/** Whose recaps can be had: the token's own user, and those who logged in. */
export function recapUsersOf({ logins }: Callers, { user }: Account): readonly string[] {
  return [...new Set([user, ...logins.keys()])];
}

/** The one who may act for this owner. */
export function callerFor({ main, logins }: Callers, { scope, uri }: Owner): Client {
  return (scope === 'user' ? logins.get(uri) : undefined) ?? main;
}

/** Owners whose subscriptions could not be seen, and why. */
export interface Unseen {
  readonly owner: Owner;
  readonly error: SlotstreamError;
  /** The user has to log in again before anything can be had in their name. */
  readonly isLoginOver: boolean;
}

export interface Survey {
  readonly existing: readonly WebhookSubscription[];
  readonly unseen: readonly Unseen[];
}

/** Everyone whose subscriptions matter: who they are wanted for now, and whoever had one when we last looked. */
export function ownersToSurvey(
  { organization, group }: Account,
  more: { readonly recapUsers: readonly string[]; readonly known: readonly WebhookSubscription[] },
): readonly Owner[] {
  const owners: Owner[] = [
    { scope: 'organization', organization, uri: organization },
    ...(group === undefined ? [] : [{ scope: 'group', organization, uri: group } as const]),
    ...more.recapUsers.map((uri) => ({ scope: 'user', organization, uri }) as const),
    ...more.known.map(ownerOf).filter((owner) => owner.organization === organization && owner.uri !== ''),
  ];
  return [...new Map(owners.map((owner) => [`${owner.scope} ${owner.uri}`, owner])).values()];
}

/** A list we may not see is told, not fatal: what it would hold can still be asked for, and is then refused with a reason. */
export async function surveySubscriptions(callers: Callers, owners: readonly Owner[]): Promise<Survey> {
  const existing = new Map<string, WebhookSubscription>();
  const unseen: Unseen[] = [];
  for (const owner of owners) {
    try {
      for (const one of await subscriptionsOf(callerFor(callers, owner), owner)) existing.set(one.uri, one);
    } catch (error) {
      unseen.push({ owner, ...reasonOf(error, callers, owner) });
    }
  }
  return { existing: [...existing.values()], unseen };
}

/** One user's dead login does not sink the others; a service that does not answer, or refuses our own token, does. */
function reasonOf(error: unknown, { logins }: Callers, { scope, uri }: Owner): Omit<Unseen, 'owner'> {
  if (isStatus(error, 403) || isStatus(error, 404)) return { error, isLoginOver: false };
  const isOfLogin = scope === 'user' && logins.has(uri);
  if (isOfLogin && error instanceof SlotstreamError && !isTransient(error)) return { error, isLoginOver: true };
  throw error;
}

async function subscriptionsOf(client: Client, owner: Owner): Promise<readonly WebhookSubscription[]> {
  const { scope, organization, uri } = owner;
  const whose = scope === 'organization' ? {} : { [scope]: uri };
  const found: WebhookSubscription[] = [];
  for await (const page of listWebhookSubscriptions(client, { organization, scope, ...whose }))
    found.push(...page.items);
  return found;
}

/** Undefined where the token may not know. */
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
