// Describes a webhook in one short sentence, for people who watch deliveries arrive.
import type { EventKind } from './events.ts';
import { isObject, type JsonObject } from './wire.ts';

interface Subject {
  /** The person or thing it is about. */
  readonly name: string;
  readonly meeting: string;
  readonly isReschedule: boolean;
}

const sentences: { readonly [Kind in EventKind]: (subject: Subject) => string } = {
  'invitee.created': ({ name, meeting, isReschedule }) =>
    isReschedule ? `${name} moved ${meeting} to a new time` : `${name} booked ${meeting}`,
  'invitee.canceled': ({ name, meeting, isReschedule }) =>
    isReschedule ? `${name} moved ${meeting} (old time canceled)` : `${name} canceled ${meeting}`,
  'invitee_no_show.created': ({ name, meeting }) => `${name} did not show up for ${meeting}`,
  'invitee_no_show.deleted': ({ name }) => `${name} is no longer marked as a no-show`,
  'contact.created': ({ name }) => `${name} is a new contact`,
  'contact.updated': ({ name }) => `Contact ${name} was changed`,
  'contact.deleted': () => 'A contact was deleted and redacted',
  'meeting_recap.created': ({ meeting }) => `A recap of ${meeting} was written`,
  'meeting_recap.updated': ({ meeting }) => `The recap of ${meeting} was changed`,
  'meeting_recap.deleted': () => 'A recap was deleted',
  'routing_form_submission.created': () => 'A visitor submitted a routing form',
  'event_type.created': ({ name }) => `${name} can be booked`,
  'event_type.updated': ({ name }) => `Event type ${name} was changed`,
  'event_type.deleted': ({ name }) => `${name} can no longer be booked`,
};

export function describeEvent({ event, payload }: { readonly event: EventKind; readonly payload: JsonObject }): string {
  const text = (...path: readonly string[]) => textAt(payload, path);
  return sentences[event]({
    name: subjectName(payload) ?? 'Someone',
    meeting: text('scheduled_event', 'name') ?? text('event', 'name') ?? 'a meeting',
    isReschedule: Boolean(payload['new_invitee'] ?? payload['old_invitee']),
  });
}

/** The name of the person or thing that a payload is about. */
export const subjectName = (payload: JsonObject): string | undefined =>
  [['name'], ['contact', 'name'], ['user', 'name'], ['label']].map((path) => textAt(payload, path)).find(Boolean);

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce((record, key) => (isObject(record) ? record[key] : undefined), value);
  return typeof found === 'string' ? found : undefined;
}
