// What is done to an organization, for its activity log: who joined, was invited, changed or removed, and what became of event types
// and subscriptions. Where it is not known who did it, the owner did.
import type { ActivityLogEntryResource } from '#schemas/resources/activity-log.ts';
import type { MembershipRole } from '#schemas/resources/user.ts';
import { randomOf } from '#src/sandbox/random.ts';
import type { Service } from './service.ts';

export interface Activity {
  readonly namespace: 'User' | 'EventType' | 'WebhookSubscription';
  readonly action: string;
  readonly organization: string;
  readonly at: string;
  /** The URI of a user. */
  readonly actor?: string | undefined;
  readonly details: Readonly<Record<string, string>>;
}

const roleNames: Readonly<Record<MembershipRole, 'Owner' | 'Admin' | 'User'>> = {
  owner: 'Owner',
  admin: 'Admin',
  user: 'User',
};

export function logActivity({ state, options }: Pick<Service, 'state' | 'options'>, activity: Activity): void {
  const { namespace, action, organization, at, actor, details } = activity;
  const members = state.memberships.of('organization', organization);
  const membership = members.find(({ user }) => user === actor) ?? members.find(({ role }) => role === 'owner');
  const user = state.users.get(membership?.user ?? '');
  if (membership === undefined || user === undefined) return;
  const entry: ActivityLogEntryResource = {
    uri: `${options.baseUrl}/activity_log_entries/${randomOf(options.seed, 'activity', state.activity.size).uuid()}`,
    occurred_at: at,
    namespace,
    action,
    fully_qualified_name: `${namespace}.${action}`,
    actor: {
      uri: user.uri,
      type: 'User',
      organization: { uri: organization, role: roleNames[membership.role] },
      display_name: user.name,
      alternative_identifier: user.email,
    },
    details,
    organization,
  };
  state.activity.put(entry);
}

/** `a|b` finds either, `a+b` what has both; in any letter case. */
export function mentions(term: string): (entry: ActivityLogEntryResource) => boolean {
  const choices = term
    .toLowerCase()
    .split('|')
    .map((choice) => choice.split('+').map((word) => word.trim()));
  return ({ fully_qualified_name, actor, details }) => {
    const texts = [fully_qualified_name, actor.display_name, actor.alternative_identifier, ...Object.values(details)];
    const text = texts.join('\n').toLowerCase();
    return choices.some((words) => words.every((word) => text.includes(word)));
  };
}
