// The authorization scopes a token can carry, and which of them include others.

/**
 * `users:read` and `organizations:read` are not in the specification's table, though every endpoint requires a scope (A14). The last four
 * are those of operations that only the public service has.
 */
export const apiScopes = {
  'users:read': { implies: [] },
  'organizations:read': { implies: [] },
  'organizations:write': { implies: ['organizations:read'] },
  'contacts:read': { implies: [] },
  'contacts:write': { implies: ['contacts:read'] },
  'webhooks:write': { implies: [] },
  'scheduled_events:read': { implies: [] },
  'scheduled_events:write': { implies: [] },
  'event_types:read': { implies: [] },
  'routing_forms:read': { implies: [] },
  'meeting_recaps:read': { implies: [] },
  'meeting_recaps:write': { implies: ['meeting_recaps:read'] },
  groups: { implies: [] },
  'availability:read': { implies: [] },
  'scheduling_links:write': { implies: [] },
  'activity_log:read': { implies: [] },
  'data_compliance:write': { implies: [] },
} as const satisfies Record<string, { readonly implies: readonly string[] }>;

export type ApiScope = keyof typeof apiScopes;

export const isApiScope = (name: string): name is ApiScope => Object.hasOwn(apiScopes, name);

/** In the order of the specification, whose own come first. */
export const everyScope: readonly ApiScope[] = Object.keys(apiScopes).filter(isApiScope);

/** What of `required` a token holding `held` lacks: the `required_scopes` of an insufficient-scope answer. */
export function missingScopes(held: readonly ApiScope[], required: readonly ApiScope[]): readonly ApiScope[] {
  const granted = new Set<ApiScope>(held.flatMap((scope) => [scope, ...apiScopes[scope].implies]));
  return [...new Set(required)].filter((scope) => !granted.has(scope));
}
