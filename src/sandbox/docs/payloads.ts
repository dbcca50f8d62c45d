// The payload of each event as this sandbox sends it: nested as the public service does, or flat as in the specification.
import { z } from 'zod';
import type { EventKind } from '#schemas/events.ts';
import { contactResource } from '#schemas/resources/contact.ts';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { inviteePayload } from '#schemas/resources/invitee.ts';
import { meetingRecapResource, recapEventResource } from '#schemas/resources/meeting-recap.ts';
import { routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import { instant } from '#schemas/resources/values.ts';
import { uri } from '#schemas/wire.ts';

const deleted = z.strictObject({ uri, deleted_at: instant });

type Payloads = Readonly<Record<EventKind, z.ZodType>>;

/** The same in both shapes (A4a, A4d, A4e). */
const inBothShapes = {
  'invitee.created': inviteePayload,
  'invitee.canceled': inviteePayload,
  'invitee_no_show.created': inviteePayload,
  'invitee_no_show.deleted': inviteePayload,
  'routing_form_submission.created': routingFormSubmissionResource,
  'event_type.created': eventTypeResource,
  'event_type.updated': eventTypeResource,
  'event_type.deleted': eventTypeResource,
} as const;

const flat: Payloads = {
  ...inBothShapes,
  'contact.created': contactResource,
  'contact.updated': contactResource,
  'contact.deleted': deleted,
  'meeting_recap.created': meetingRecapResource,
  'meeting_recap.updated': meetingRecapResource,
  'meeting_recap.deleted': deleted,
};

const besideUser = (contact: z.ZodType) => z.strictObject({ user_uuid: z.string(), contact });
const contactWithSource = contactResource.extend({ creation_source: z.enum(['scheduling', 'manual', 'api']) });
const recapParts = {
  event: recapEventResource.extend({ uri: uri.optional() }),
  recap: meetingRecapResource.omit({ event: true, user: true, organization: true, notes: true }),
};

/** A4b, A4c. */
const nested: Payloads = {
  ...inBothShapes,
  'contact.created': besideUser(contactWithSource),
  'contact.updated': besideUser(contactWithSource),
  'contact.deleted': besideUser(deleted),
  'meeting_recap.created': z.strictObject({ created_at: instant, ...recapParts }),
  'meeting_recap.updated': z.strictObject(recapParts),
  'meeting_recap.deleted': z.strictObject({ recap: deleted }),
};

/** The whole delivery of one kind (A1). */
export function deliverySchema(event: EventKind, options: { readonly flat: boolean }): z.ZodType {
  return z.strictObject({
    event: z.literal(event),
    created_at: instant,
    created_by: uri.nullable(),
    payload: (options.flat ? flat : nested)[event],
  });
}
