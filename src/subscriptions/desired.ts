// The desired subscriptions: the fewest that cover `EVENTS` with the scopes that the specification allows for each event.
import type { SubscriptionScope } from '#schemas/event.ts';
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { Owner } from './callback.ts';

export interface DesiredSubscription {
  readonly owner: Owner;
  /** Sorted, so that a set of events has one form. */
  readonly events: readonly EventKind[];
  /** `event_type.*` is in the specification's scope table but not in its request: a refusal is not a failure. */
  readonly optional: boolean;
}

export interface DesiredInput {
  readonly events: readonly EventKind[];
  readonly organization: string;
  /** Replaces the organization for every event that allows it. */
  readonly group?: string | undefined;
  /** Users whose recaps are accessible: only the user can create a user-scope subscription. */
  readonly recapUsers: readonly string[];
}

/** Organization (or group) first, with `event_type.*` separate so that its refusal does not affect the rest; then one per user. */
export function desiredSubscriptions(input: DesiredInput): readonly DesiredSubscription[] {
  const { organization, group, recapUsers } = input;
  const owners: readonly Owner[] = [
    { scope: 'organization', organization, uri: organization },
    ...(group === undefined ? [] : [{ scope: 'group', organization, uri: group } as const]),
    ...[...new Set(recapUsers)].map((uri) => ({ scope: 'user', organization, uri }) as const),
  ];
  const kinds = [...new Set(input.events)].toSorted();
  return owners.flatMap((owner) => {
    const own = kinds.filter((kind) => scopeFor(kind, group !== undefined) === owner.scope);
    return [
      { owner, events: own.filter((kind) => contractOf(kind).inRequestEnum), optional: false },
      { owner, events: own.filter((kind) => !contractOf(kind).inRequestEnum), optional: true },
    ].filter(({ events }) => events.length > 0);
  });
}

/** The widest scope that the event allows within the configuration. */
export function scopeFor(kind: EventKind, hasGroup: boolean): SubscriptionScope {
  const { allowedScopes } = contractOf(kind);
  if (hasGroup && allowedScopes.includes('group')) return 'group';
  return allowedScopes.includes('organization') ? 'organization' : 'user';
}
