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
const besideUser = (contact: z.ZodType) => z.strictObject({ user_uuid: z.string(), contact });
const contactWithSource = besideUser(
  contactResource.extend({ creation_source: z.enum(['scheduling', 'manual', 'api']) }),
);
const recapParts = {
  event: recapEventResource.extend({ uri: uri.optional() }),
  recap: meetingRecapResource.omit({ event: true, user: true, organization: true, notes: true }),
};

/** Nested and flat (A4b, A4c); one schema where both are the same (A4a, A4d, A4e). */
const payloads: Readonly<Record<EventKind, z.ZodType | { readonly nested: z.ZodType; readonly flat: z.ZodType }>> = {
  'invitee.created': inviteePayload,
  'invitee.canceled': inviteePayload,
  'invitee_no_show.created': inviteePayload,
  'invitee_no_show.deleted': inviteePayload,
  'routing_form_submission.created': routingFormSubmissionResource,
  'event_type.created': eventTypeResource,
  'event_type.updated': eventTypeResource,
  'event_type.deleted': eventTypeResource,
  'contact.created': { flat: contactResource, nested: contactWithSource },
  'contact.updated': { flat: contactResource, nested: contactWithSource },
  'contact.deleted': { flat: deleted, nested: besideUser(deleted) },
  'meeting_recap.created': {
    flat: meetingRecapResource,
    nested: z.strictObject({ created_at: instant, ...recapParts }),
  },
  'meeting_recap.updated': { flat: meetingRecapResource, nested: z.strictObject(recapParts) },
  'meeting_recap.deleted': { flat: deleted, nested: z.strictObject({ recap: deleted }) },
};

/** The whole delivery of one kind (A1). */
export function deliverySchema(event: EventKind, { flat }: { readonly flat: boolean }): z.ZodType {
  const found = payloads[event];
  const payload = 'nested' in found ? found[flat ? 'flat' : 'nested'] : found;
  return z.strictObject({ event: z.literal(event), created_at: instant, created_by: uri.nullable(), payload });
}
