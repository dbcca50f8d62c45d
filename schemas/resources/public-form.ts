// The records as the public service sends them, where it differs from the specification (A4b, A4c, A14, A26).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { contactResource, customFieldDefinitionResource } from './contact.ts';
import { availableTimeResource, eventTypeResource } from './event-type.ts';
import { meetingRecapResource, recapMeeting } from './meeting-recap.ts';
import { organizationResource } from './organization.ts';
import { scheduledEventResource } from './scheduled-event.ts';
import { membershipResource, userResource } from './user.ts';
import { instant, nullableText } from './values.ts';

const page = { app_url: z.url() };

export const publicContactResource = contactResource.extend(page);

export const publicDefinitionResource = customFieldDefinitionResource.omit({ retired_at: true }).extend({
  options: z
    .array(z.strictObject({ uuid: z.string(), label: z.string(), color: nullableText, is_active: z.boolean() }))
    .optional(),
});

/** Lists that come whole. */
export const publicDefinitionList = z.strictObject({ collection: z.array(publicDefinitionResource) });
export const publicAvailableTimeList = z.strictObject({ collection: z.array(availableTimeResource) });

export const publicUserResource = userResource.extend({ time_notation: z.enum(['12h', '24h']) });

export const publicMembershipResource = membershipResource.extend({
  user: publicUserResource.omit({ current_organization: true, resource_type: true }),
});

/** `kind` is recorded for an account of one user only: `single` (A14). */
export const publicOrganizationResource = organizationResource.omit({ resource_type: true }).extend({
  id: z.int(),
  kind: z.enum(['single', 'team']),
  plan: z.enum(['basic', 'standard', 'teams', 'enterprise']),
  created_at: instant,
  updated_at: instant,
});

export const publicEventTypeResource = eventTypeResource.extend({
  /** In minutes; null when there is only `duration`. */
  duration_options: z.array(z.int().min(1)).nullable(),
  is_paid: z.boolean(),
});

/** The entry in the calendar of the host, which webhooks do not have. */
export const publicScheduledEventResource = scheduledEventResource.extend({
  calendar_event: z
    .strictObject({
      kind: z.enum(['exchange', 'google', 'icloud', 'outlook', 'outlook_desktop']),
      external_id: z.string(),
    })
    .nullable(),
});

const unknownToCallers = { user: true, organization: true, notes: true } as const;

export const publicRecapResource = meetingRecapResource.omit(unknownToCallers).extend({
  ...page,
  location: scheduledEventResource.shape.location.nullable(),
  status: z.literal('Available'),
});

/** A list shows no highlights. */
export const publicRecapListItem = publicRecapResource.omit({
  summary_md: true,
  action_items_md: true,
  discussion_md: true,
  share_link: true,
});

export const publicTranscriptResource = z.strictObject({ uri, text: z.string() });

export const deletedRecord = z.strictObject({ uri, deleted_at: instant });

const besideUser = (contact: z.ZodType) => z.strictObject({ user_uuid: z.string(), contact });

/** An external meeting has no URI. */
export const publicRecapEvent = recapMeeting.extend({ uri: uri.optional() });

const ofMeeting = {
  event: true,
  name: true,
  start_time: true,
  end_time: true,
  location: true,
  attendees: true,
} as const;
const recapParts = {
  event: publicRecapEvent,
  recap: meetingRecapResource.omit({ ...ofMeeting, ...unknownToCallers }),
};

export const publicPayloads = {
  contact: besideUser(contactResource.extend({ creation_source: z.enum(['scheduling', 'manual', 'api']) })),
  deletedContact: besideUser(deletedRecord),
  newRecap: z.strictObject({ created_at: instant, ...recapParts }),
  recap: z.strictObject(recapParts),
  deletedRecap: z.strictObject({ recap: deletedRecord }),
} as const;

export type PublicOrganizationResource = z.output<typeof publicOrganizationResource>;
export type PublicEventTypeResource = z.output<typeof publicEventTypeResource>;
export type PublicScheduledEventResource = z.output<typeof publicScheduledEventResource>;
