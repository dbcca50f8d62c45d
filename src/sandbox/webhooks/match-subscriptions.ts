// Which subscriptions a fact concerns: those of its organization that are active, ask for its event, and whose scope it falls in.
import type { Fact } from '#src/sandbox/world/service.ts';
import type { State, StoredSubscription } from '#src/sandbox/world/state.ts';

export function matchSubscriptions(state: State, fact: Fact): readonly StoredSubscription[] {
  return state.subscriptions
    .of('organization', fact.organization)
    .filter(
      (subscription) =>
        subscription.state === 'active' &&
        subscription.events.includes(fact.event) &&
        fallsInScope(state, subscription, fact),
    );
}

function fallsInScope({ groups }: State, { scope, user, group }: StoredSubscription, { users }: Fact): boolean {
  switch (scope) {
    case 'organization':
      return true;
    case 'user':
      return user !== null && users.includes(user);
    case 'group': {
      const members = group === null ? undefined : groups.get(group)?.members;
      return members !== undefined && users.some((one) => members.includes(one));
    }
  }
}
