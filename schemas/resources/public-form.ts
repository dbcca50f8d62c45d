// The records as the public service sends them, where it differs from the specification (A4b, A4c, A14, A26).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { contactResource, customFieldDefinitionResource } from './contact.ts';
import { availableTimeResource } from './event-type.ts';
import { meetingRecapResource, recapMeeting } from './meeting-recap.ts';
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

export const publicMembershipResource = membershipResource.extend({
  user: userResource.omit({ current_organization: true, resource_type: true }),
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
