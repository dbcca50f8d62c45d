// What subscribers get of a recap: nested as the public service sends it, or flat as the specification describes it (A4c).
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import type { JsonObject } from '#schemas/wire.ts';

export interface DeletedRecap {
  readonly uri: string;
  readonly deleted_at: string;
}

export interface PayloadShape {
  readonly flat: boolean;
}

export function createdPayload(recap: MeetingRecapResource, { flat }: PayloadShape): JsonObject {
  return flat ? recap : { created_at: recap.created_at, ...nested(recap) };
}

export function updatedPayload(recap: MeetingRecapResource, { flat }: PayloadShape): JsonObject {
  return flat ? recap : nested(recap);
}

/** The URI and the time, nothing of what was deleted. */
export function deletedPayload({ uri, deleted_at }: DeletedRecap, { flat }: PayloadShape): JsonObject {
  return flat ? { uri, deleted_at } : { recap: { uri, deleted_at } };
}

function nested({ event, user: _user, organization: _organization, notes: _notes, ...recap }: MeetingRecapResource) {
  return { event: meetingOf(event), recap };
}

/** An external meeting has no URI to send. */
function meetingOf({ uri, ...meeting }: MeetingRecapResource['event']): JsonObject {
  return uri === null ? meeting : { uri, ...meeting };
}
