// Who may see an event type.
import { denied, notFound } from '#src/http/http-error.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import type { State, StoredEventType } from '#src/sandbox/world/state.ts';
import type { Caller } from './caller.ts';
import { noAccess } from './permissions.ts';

/** One event type is for everyone of its organization to see: it has a public page. */
export function demandEventType(
  state: State,
  caller: Caller,
  { uri, parameter }: { readonly uri: string; readonly parameter?: string },
): StoredEventType {
  const eventType = state.eventTypes.get(uri);
  if (eventType === undefined) throw notFound('No such event type.', parameter);
  if (organizationOf(state, eventType.hosts) !== caller.organization.uri) throw denied(noAccess);
  return eventType;
}
