// A delivery in a few words, for people who watch the story go by.
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';

interface Told {
  /** The person or thing the delivery is about. */
  readonly name: string;
  readonly meeting: string;
  readonly isMove: boolean;
}

const tellings: { readonly [Kind in EventKind]: (told: Told) => string } = {
  'invitee.created': ({ name, meeting, isMove }) =>
    isMove ? `${name} took another time for ${meeting}` : `${name} booked ${meeting}`,
  'invitee.canceled': ({ name, meeting, isMove }) =>
    isMove ? `${name} gave up a time for ${meeting}` : `${name} canceled ${meeting}`,
  'invitee_no_show.created': ({ name, meeting }) => `${name} did not show up for ${meeting}`,
  'invitee_no_show.deleted': ({ name }) => `${name} was there after all`,
  'contact.created': ({ name }) => `${name} is a new contact`,
  'contact.updated': ({ name }) => `${name} has changed`,
  'contact.deleted': () => 'a contact was deleted, and is forgotten',
  'meeting_recap.created': ({ meeting }) => `a recap of ${meeting}`,
  'meeting_recap.updated': ({ meeting }) => `the recap of ${meeting} has changed`,
  'meeting_recap.deleted': () => 'a recap was deleted',
  'routing_form_submission.created': () => 'somebody filled in a form',
  'event_type.created': ({ name }) => `${name} can be booked`,
  'event_type.updated': ({ name }) => `${name} has changed`,
  'event_type.deleted': ({ name }) => `${name} can no longer be booked`,
};

export function inWords({ event, payload }: { readonly event: EventKind; readonly payload: JsonObject }): string {
  const text = (...path: readonly string[]) => textAt(payload, path);
  return tellings[event]({
    name: text('name') ?? text('contact', 'name') ?? 'somebody',
    meeting: text('scheduled_event', 'name') ?? text('event', 'name') ?? 'a meeting',
    isMove: Boolean(payload['new_invitee'] ?? payload['old_invitee']),
  });
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (record, key) =>
      typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[key] : undefined,
    value,
  );
  return typeof found === 'string' ? found : undefined;
}
