// Which subscriptions `EVENTS` asks for: the fewest that cover them under the scopes the specification allows for each event.
import type { SubscriptionScope } from '#schemas/event.ts';
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { Owner } from './callback.ts';

export interface Wanted {
  readonly owner: Owner;
  /** Sorted, so that one set of events has one spelling. */
  readonly events: readonly EventKind[];
  /** `event_type.*` stands in the specification's scope table but not in its request: a refusal is no failure. */
  readonly optional: boolean;
}

export interface Wishes {
  readonly events: readonly EventKind[];
  readonly organization: string;
  /** Takes the place of the organization for every event that allows it. */
  readonly group?: string | undefined;
  /** Whose recaps can be had: a user-scope subscription can be made only by that user. */
  readonly recapUsers: readonly string[];
}

/** Organization (or group) first; `event_type.*` apart, so that its refusal does not sink the rest; then a subscription a user. */
export function wantedOf(wishes: Wishes): readonly Wanted[] {
  const { organization, group, recapUsers } = wishes;
  const owners: readonly Owner[] = [
    { scope: 'organization', organization, uri: organization },
    ...(group === undefined ? [] : [{ scope: 'group', organization, uri: group } as const]),
    ...[...new Set(recapUsers)].map((uri) => ({ scope: 'user', organization, uri }) as const),
  ];
  const kinds = [...new Set(wishes.events)].toSorted();
  return owners.flatMap((owner) => {
    const own = kinds.filter((kind) => scopeFor(kind, group !== undefined) === owner.scope);
    return [
      { owner, events: own.filter((kind) => contractOf(kind).inRequestEnum), optional: false },
      { owner, events: own.filter((kind) => !contractOf(kind).inRequestEnum), optional: true },
    ].filter(({ events }) => events.length > 0);
  });
}

/** The widest scope the event allows within what was asked for. */
export function scopeFor(kind: EventKind, hasGroup: boolean): SubscriptionScope {
  const { allowedScopes } = contractOf(kind);
  if (hasGroup && allowedScopes.includes('group')) return 'group';
  return allowedScopes.includes('organization') ? 'organization' : 'user';
}
