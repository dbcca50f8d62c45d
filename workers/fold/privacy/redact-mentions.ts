// Redacts mentions of erased people from records of other subjects, at any depth.
import { oddValuesOf } from '#schemas/odd-values.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import { embeddings } from '#workers/fold/projections/touches.ts';
import type { Erasures } from './erasure-index.ts';
import { retainFields } from './retained-fields.ts';

/** The erasures, and the time of the fact that they are applied to. */
export interface RedactionScope {
  readonly erasures: Erasures;
  readonly at: string;
}

/** Lists of people: an erased person is removed from the list. */
const peopleLists = new Set<string | undefined>(['event_guests', 'event_memberships', 'attendees']);
/** The table of the record that is embedded under each key. */
const embeddedTables = new Map<string | undefined, MirrorTable>(embeddings.map(({ key, table }) => [key, table]));

export function containsAddress(scope: RedactionScope, value: unknown): boolean {
  const { erasures, at } = scope;
  if (typeof value === 'string') return erasures.containsAddress(value, at);
  if (Array.isArray(value)) return value.some((each) => containsAddress(scope, each));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, each]) => erasures.containsAddress(key, at) || containsAddress(scope, each));
}

const isErasedUri = ({ erasures }: RedactionScope, uri: unknown): boolean =>
  typeof uri === 'string' && erasures.subjects.has(uri);

/** Whether a record is the erased person's own: by its URI at any time, by an address only up to the time of the erasure. */
export function isOwnRecord(scope: RedactionScope, table: MirrorTable, record: JsonObject): boolean {
  if (isErasedUri(scope, record['uri'])) return true;
  // Also where the value was set aside, because it does not fit.
  const odd = oddValuesOf(record);
  const names = (key: string): boolean => containsAddress(scope, [record[key], odd?.[key]]);
  switch (table) {
    case 'contacts':
      return names('emails');
    case 'invitees':
    case 'users':
      return names('email');
    case 'routing_form_submissions':
      return isErasedUri(scope, record['submitter']) || names('questions_and_answers');
    case 'meeting_recaps': {
      const event = isObject(record['event']) ? record['event'] : {};
      const attendees = [event['attendees'], odd?.['event']];
      return isErasedUri(scope, event['uri']) || containsAddress(scope, attendees) || names('speakers');
    }
    default:
      return false;
  }
}

/** Returns the value without mentions of erased people; an equal value where there are none. */
export function redactMentions(scope: RedactionScope, value: unknown, key?: string): unknown {
  const { erasures, at } = scope;
  // An option's `uuid` must be text, or its record could not be parsed again.
  const blank = key === 'uuid' ? '' : null;
  if (typeof value === 'string') return erasures.containsAddress(value, at) ? blank : value;
  if (Array.isArray(value)) return value.flatMap((each) => redactListed(scope, each, key));
  if (!isObject(value)) return value;
  const table = embeddedTables.get(key);
  const record = table !== undefined && isOwnRecord(scope, table, value) ? retainFields(table, value) : value;
  const isTheirProfile = key === 'profile' && isErasedUri(scope, record['owner']);
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, each]) => {
      if (erasures.containsAddress(name, at) || (isTheirProfile && name === 'name')) return [];
      // The URI stays: it identifies which record to erase.
      return [[name, name === 'uri' ? each : redactMentions(scope, each, name)]];
    }),
  );
}

function redactListed(scope: RedactionScope, each: unknown, list?: string): unknown[] {
  if (typeof each === 'string') return scope.erasures.containsAddress(each, scope.at) ? [] : [each];
  if (!peopleLists.has(list) || !isObject(each)) return [redactMentions(scope, each)];
  if (!isErasedUri(scope, each['user']) && !containsAddress(scope, each)) return [each];
  // The meeting keeps its number of hosts; the host is reduced to the URI of a user without a name.
  return typeof each['user'] === 'string' ? [{ user: redactMentions(scope, each['user']) }] : [];
}
