// What subscribers receive of contacts and recaps: flat as the specification describes it, or nested as the public service sends it
// (A4b, A4c). The other kinds look the same in both forms.
import type { ContactResource } from '#schemas/resources/contact.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import type { JsonObject } from '#schemas/wire.ts';
import type { ContactEntry } from './contacts/contact-entry.ts';
import type { Form } from './service.ts';

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
