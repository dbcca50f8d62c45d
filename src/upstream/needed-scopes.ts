// The scopes that a token needs, and what needs each: a new token has none until they are chosen.
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { Config } from '#src/config/load.ts';

/** By scope, what it is needed for; the others are not needed. */
export const scopePurposes = {
  'users:read': 'finding the organization and the user of the token, unless ORGANIZATION_URI and USER_URI are set',
  'organizations:read': 'users and their roles, and the event types of each user',
  'webhooks:write': 'registering for webhooks, and watching the registrations',
  'scheduled_events:read': 'bookings, cancellations and no-shows',
  'scheduled_events:write': 'ANSWERS=on: marking no-shows, and removing the mark',
  'event_types:read': 'event types',
  'routing_forms:read': 'routing forms and their submissions',
  'contacts:read': 'contacts and the definitions of their custom fields',
  'meeting_recaps:read': 'meeting recaps and who spoke',
  groups: 'GROUP_URI',
} as const satisfies Partial<Record<ApiScope, string>>;

type NeededScope = keyof typeof scopePurposes;

const isNeeded = (scope: ApiScope): scope is NeededScope => Object.hasOwn(scopePurposes, scope);

/** The scopes that this configuration and these events need, in the order of the specification. */
export function neededScopes(
  { api, answers }: Pick<Config, 'api' | 'answers'>,
  events: readonly EventKind[],
): readonly NeededScope[] {
  const needed = new Set<ApiScope>([
    'users:read',
    'organizations:read',
    'webhooks:write',
    ...events.map((kind) => contractOf(kind).requiredCallerScope),
    ...(answers ? (['scheduled_events:write'] as const) : []),
    ...(api.groupUri === undefined ? [] : (['groups'] as const)),
  ]);
  return everyScope.filter((scope) => needed.has(scope)).filter(isNeeded);
}
