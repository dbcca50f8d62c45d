// What subscribers receive: contacts and recaps flat as the specification describes them, or nested as the public service sends them
// (A4b, A4c); event types and meetings with the fields that only the public service has. Submissions look the same in both forms.
import type { ContactResource } from '#schemas/resources/contact.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { JsonObject } from '#schemas/wire.ts';
import type { ContactEntry } from './contacts/contact-entry.ts';
import { publicEventType, publicLocation } from './public-records.ts';
import type { Form, StoredEventType } from './service.ts';

interface DeletedRecord extends JsonObject {
  readonly uri: string;
  readonly deleted_at: string;
}

export function contactPayload(as: Form, entry: ContactEntry, record: ContactResource): JsonObject {
  if (as === 'specification') return record;
  return besideUser(entry, { ...record, creation_source: entry.creation_source });
}

export const deletedContactPayload = (as: Form, entry: ContactEntry, deleted: DeletedRecord): JsonObject =>
  as === 'specification' ? deleted : besideUser(entry, deleted);

const besideUser = ({ owner }: ContactEntry, contact: JsonObject): JsonObject => ({
  user_uuid: owner.slice(owner.lastIndexOf('/') + 1),
  contact,
});

export function recapPayload(as: Form, recap: MeetingRecapResource, isNew: boolean): JsonObject {
  if (as === 'specification') return recap;
  const { event: uri, user: _user, organization: _organization, notes: _notes, ...shown } = recap;
  const { name, start_time, end_time, location, attendees, ...rest } = shown;
  const meeting = { name, start_time, end_time, location, attendees };
  // An external meeting has no URI.
  const about = { event: uri === null ? meeting : { uri, ...meeting }, recap: rest };
  return isNew ? { created_at: recap.created_at, ...about } : about;
}

export const deletedRecapPayload = (as: Form, deleted: DeletedRecord): JsonObject =>
  as === 'specification' ? deleted : { recap: deleted };

export const eventTypePayload = (as: Form, stored: StoredEventType, record: EventTypeResource): JsonObject =>
  as === 'specification' ? record : publicEventType(record, stored);

/** The recorded deliveries have no entry of a calendar. */
export function inviteePayload(as: Form, invitee: InviteeResource, meeting: ScheduledEventResource): JsonObject {
  const location = as === 'specification' ? meeting.location : publicLocation(meeting);
  return { ...invitee, scheduled_event: { ...meeting, location } };
}
