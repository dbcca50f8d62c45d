// Every kind of record that is read from the API, and the facts that follow from reading one: its content (`contact.read`), or that it
// no longer exists (`contact.gone`). A webhook cannot deliver these facts: there, such a name is an unknown kind.
import { z } from 'zod';
import { contactEvents } from './contact.ts';
import { customFieldDefinition } from './custom-field.ts';
import { eventTypeEvents } from './event-type.ts';
import { asSent, noNotes, type EventRecord, type RecordReader } from './event.ts';
import type { EventKind, PayloadOf } from './events.ts';
import { inviteeEvents, inviteeNoShow, scheduledEvent } from './invitee.ts';
import { meetingRecapEvents, recapSpeakers } from './meeting-recap.ts';
import { routingForm, routingFormEvents } from './routing-form.ts';
import { organizationMembership, user } from './user.ts';
import { moment, uri } from './wire.ts';

/** Records that are also delivered by webhook use the same reader. */
export const recordReaders = {
  contact: contactEvents['contact.updated'],
  custom_field_definition: plain(customFieldDefinition),
  event_type: eventTypeEvents['event_type.updated'],
  invitee: inviteeEvents['invitee.created'],
  invitee_no_show: plain(inviteeNoShow),
  meeting_recap: meetingRecapEvents['meeting_recap.updated'],
  meeting_recap_transcript: plain(recapSpeakers),
  organization_membership: plain(organizationMembership),
  routing_form: plain(routingForm),
  routing_form_submission: routingFormEvents['routing_form_submission.created'],
  scheduled_event: plain(scheduledEvent),
  user: plain(user),
} as const satisfies Readonly<Record<string, RecordReader>>;

export type RecordKind = keyof typeof recordReaders;

const isRecordKind = (name: string): name is RecordKind => Object.hasOwn(recordReaders, name);

/** The kinds that can be deleted; a 404 for any other kind is not recorded. */
const finalKinds = ['contact', 'event_type', 'meeting_recap'] as const satisfies RecordKind[];
/** No webhook reports these. They exist again when the service lists them again. */
const restorableKinds = [
  'custom_field_definition',
  'organization_membership',
  'routing_form',
] as const satisfies RecordKind[];
export type DeletableKind = (typeof finalKinds | typeof restorableKinds)[number];

export function isDeletableKind(name: string): name is DeletableKind {
  return ([...finalKinds, ...restorableKinds] as readonly string[]).includes(name);
}
/** Every name of what is read from the service. */
export const readFactKinds: readonly string[] = [
  ...Object.keys(recordReaders).map((kind) => `${kind}.read`),
  ...[...finalKinds, ...restorableKinds].map((kind) => `${kind}.gone`),
];
export type ReadFactKind = `${RecordKind}.read` | `${DeletableKind}.gone`;
export type FactKind = EventKind | ReadFactKind;

export type FactPayload<Kind extends FactKind> = Kind extends EventKind
  ? PayloadOf<Kind>
  : Kind extends `${infer Of extends RecordKind}.read`
    ? z.output<(typeof recordReaders)[Of]['schema']>
    : DeletedRecord;

/** `updated_at` is that of the record when it was last read, for a kind that may exist again. */
const missing = plain(z.looseObject({ uri, updated_at: moment }));
type DeletedRecord = z.output<typeof missing.schema>;

/** The reader for the payload of a fact of this name; undefined when there is no such fact. */
export function readerOf(event: string): RecordReader | undefined {
  const [of = '', how, ...more] = event.split('.');
  if (more.length > 0) return undefined;
  if (how === 'gone') return isDeletableKind(of) ? missing : undefined;
  return how === 'read' && isRecordKind(of) ? recordReaders[of] : undefined;
}

export const isDeleteFact = (event: string | null): boolean => event?.endsWith('.gone') === true;
export const isFinalDelete = (event: string): boolean => finalKinds.some((kind) => event === `${kind}.gone`);

function plain<Schema extends z.ZodType<EventRecord>>(schema: Schema) {
  return { schema, unwrap: asSent, notes: noNotes } as const;
}
