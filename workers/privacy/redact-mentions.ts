// What somebody else's record says of an erased person: taken out of it, wherever it stands.
import { isObject, type JsonObject } from '#schemas/wire.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import type { Erasures } from './erasure-index.ts';
import { withoutPerson } from './retained-fields.ts';

/** Erasures, as they concern a fact of one time. */
export interface Sought {
  readonly erasures: Erasures;
  readonly at: string;
}

/** Lists of people: who is erased leaves the list. */
const peopleLists = new Set(['event_guests', 'event_memberships', 'attendees']);
/** Records within records, each with a row of its own. */
const embedded: Readonly<Record<string, MirrorTable>> = { scheduled_event: 'scheduled_events', user: 'users' };

export function holds(sought: Sought, value: unknown): boolean {
  if (typeof value === 'string') return sought.erasures.carries(value, sought.at);
  if (Array.isArray(value)) return value.some((each) => holds(sought, each));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, each]) => sought.erasures.carries(key, sought.at) || holds(sought, each));
}

const isErased = ({ erasures }: Sought, uri: unknown): boolean => typeof uri === 'string' && erasures.subjects.has(uri);

/** Whether a record is the person's own: by its URI for ever, by an address for what is no newer than the erasure. */
export function isOwn(sought: Sought, table: MirrorTable, record: JsonObject): boolean {
  if (isErased(sought, record['uri'])) return true;
  switch (table) {
    case 'contacts':
      return holds(sought, record['emails']);
    case 'invitees':
    case 'users':
      return holds(sought, record['email']);
    case 'routing_form_submissions':
      return isErased(sought, record['submitter']) || holds(sought, record['questions_and_answers']);
    case 'meeting_recaps': {
      const event = isObject(record['event']) ? record['event'] : {};
      return isErased(sought, event['uri']) || holds(sought, event['attendees']);
    }
    default:
      return false;
  }
}

/** The value without what it says of erased people. Where there is nothing to take out, an equal one. */
export function withoutMentions(sought: Sought, value: unknown, key = ''): unknown {
  // The one text that must be there for its record to be read is an option's `uuid`.
  const blank = key === 'uuid' ? '' : null;
  if (typeof value === 'string') return sought.erasures.carries(value, sought.at) ? blank : value;
  if (Array.isArray(value)) return value.flatMap((each) => listed(sought, each, key));
  if (!isObject(value)) return value;
  const table = Object.hasOwn(embedded, key) ? embedded[key] : undefined;
  const record = table !== undefined && isOwn(sought, table, value) ? withoutPerson(table, value) : value;
  const isTheirs = key === 'profile' && isErased(sought, record['owner']);
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, each]) => {
      if (sought.erasures.carries(name, sought.at) || (isTheirs && name === 'name')) return [];
      // What a record is known by stays: without it nobody could tell whom to forget.
      return [[name, name === 'uri' ? each : withoutMentions(sought, each, name)]];
    }),
  );
}

function listed(sought: Sought, each: unknown, list: string): unknown[] {
  if (typeof each === 'string') return sought.erasures.carries(each, sought.at) ? [] : [each];
  if (!peopleLists.has(list) || !isObject(each)) return [withoutMentions(sought, each)];
  if (!isErased(sought, each['user']) && !holds(sought, each)) return [each];
  // That somebody hosted it is the meeting's; who, only by the URI of a user without a name.
  return typeof each['user'] === 'string' ? [{ user: each['user'] }] : [];
}
