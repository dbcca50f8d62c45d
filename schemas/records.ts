// Every kind of record that is read from the API, and the facts that follow from reading one: it was so (`contact.read`),
// or it is there no longer (`contact.gone`). No delivery may tell them: a name of this list in a webhook is an unknown kind.
import { z } from 'zod';
import { contactEvents } from './contact.ts';
import { customFieldDefinition } from './custom-field.ts';
import { eventTypeEvents } from './event-type.ts';
import { asSent, noNotes, type EventRecord, type RecordReader } from './event.ts';
import type { EventKind, PayloadOf } from './events.ts';
import { inviteeEvents, scheduledEvent } from './invitee.ts';
import { meetingRecapEvents } from './meeting-recap.ts';
import { routingForm, routingFormEvents } from './routing-form.ts';
import { organizationMembership, user } from './user.ts';
import { uri } from './wire.ts';

/** Of what is also delivered, the reader is the same: a list shows what a webhook tells. */
export const recordReaders = {
  contact: contactEvents['contact.updated'],
  custom_field_definition: plain(customFieldDefinition),
  event_type: eventTypeEvents['event_type.updated'],
  invitee: inviteeEvents['invitee.created'],
  meeting_recap: meetingRecapEvents['meeting_recap.updated'],
  organization_membership: plain(organizationMembership),
  routing_form: plain(routingForm),
  routing_form_submission: routingFormEvents['routing_form_submission.created'],
  scheduled_event: plain(scheduledEvent),
  user: plain(user),
} as const satisfies Readonly<Record<string, RecordReader>>;

export type RecordKind = keyof typeof recordReaders;
/** What can be deleted; of anything else a 404 says nothing that is kept. */
const deletableKinds = ['contact', 'event_type', 'meeting_recap'] as const satisfies RecordKind[];
export type DeletableKind = (typeof deletableKinds)[number];

export function isDeletableKind(name: string): name is DeletableKind {
  return (deletableKinds as readonly string[]).includes(name);
}
export type ReadFactKind = `${RecordKind}.read` | `${DeletableKind}.gone`;
export type FactKind = EventKind | ReadFactKind;

export type FactPayload<Kind extends FactKind> = Kind extends EventKind
  ? PayloadOf<Kind>
  : Kind extends `${infer Of extends RecordKind}.read`
    ? z.output<(typeof recordReaders)[Of]['schema']>
    : DeletedRecord;

const gone = plain(z.looseObject({ uri }));
type DeletedRecord = z.output<typeof gone.schema>;

/** How the payload of a fact of this name is read; undefined when nothing that was read is called so. */
export function readerOf(event: string): RecordReader | undefined {
  const [of = '', how, ...more] = event.split('.');
  if (more.length > 0) return undefined;
  if (how === 'gone') return isDeletableKind(of) ? gone : undefined;
  return how === 'read' && Object.hasOwn(recordReaders, of) ? recordReaders[of as RecordKind] : undefined;
}

export const isDeleteFact = (event: string | null): boolean => event?.endsWith('.gone') === true;

function plain<Schema extends z.ZodType<EventRecord>>(schema: Schema) {
  return { schema, unwrap: asSent, notes: noNotes } as const;
}
