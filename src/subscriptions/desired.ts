// The desired subscriptions: one for each family in `EVENTS`, which is one row of the specification's table of scopes (A6f). So a family
// that the service refuses costs only itself.
import type { EventFamily, SubscriptionScope } from '#schemas/event.ts';
import { allEventKinds, contractOf, type EventKind } from '#schemas/events.ts';
import type { Owner } from './callback.ts';

export interface DesiredSubscription {
  readonly owner: Owner;
  readonly family: EventFamily;
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

/** In the order of the registry of kinds, bookings first; of recaps one for each user. */
export function desiredSubscriptions(input: DesiredInput): readonly DesiredSubscription[] {
  const { organization, group, recapUsers } = input;
  const owners: Readonly<Record<SubscriptionScope, readonly Owner[]>> = {
    group: group === undefined ? [] : [{ scope: 'group', organization, uri: group }],
    organization: [{ scope: 'organization', organization, uri: organization }],
    user: [...new Set(recapUsers)].map((uri) => ({ scope: 'user', organization, uri })),
  };
  const kinds = allEventKinds.filter((kind) => input.events.includes(kind));
  return [...Map.groupBy(kinds, (kind) => contractOf(kind).family)].flatMap(([family, own]) => {
    const allows = (scope: SubscriptionScope): boolean =>
      own.every((kind) => contractOf(kind).allowedScopes.includes(scope));
    const widest = group !== undefined && allows('group') ? 'group' : allows('organization') ? 'organization' : 'user';
    const optional = own.every((kind) => !contractOf(kind).inRequestEnum);
    return owners[widest].map((owner) => ({ owner, family, events: own.toSorted(), optional }));
  });
}
