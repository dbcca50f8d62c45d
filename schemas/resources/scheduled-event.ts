// A meeting on a calendar, alone and as invitee deliveries embed it (A4a).
import { z } from 'zod';
import { cancelerTypes, inviteeStatuses } from '#schemas/invitee.ts';
import { uri } from '#schemas/wire.ts';
import { instant, nullableText } from './values.ts';

export const cancellationResource = z.strictObject({
  canceled_by: z.string(),
  reason: nullableText,
  canceler_type: z.enum(cancelerTypes),
  created_at: instant,
});

export const scheduledEventResource = z.strictObject({
  uri,
  name: nullableText,
  meeting_notes_plain: nullableText,
  meeting_notes_html: nullableText,
  status: z.enum(inviteeStatuses),
  start_time: instant,
  end_time: instant,
  event_type: uri,
  /** Distinguished by `type`, not by `kind` as in the request (A4a); its other fields depend on the type. */
  location: z.looseObject({ type: z.string(), status: nullableText.optional(), join_url: nullableText.optional() }),
  invitees_counter: z.strictObject({ total: z.int(), active: z.int(), limit: z.int() }),
  created_at: instant,
  updated_at: instant,
  event_memberships: z.array(z.strictObject({ user: uri, user_email: z.email(), user_name: z.string() })),
  event_guests: z.array(z.strictObject({ email: z.email(), created_at: instant, updated_at: instant })),
  cancellation: cancellationResource.optional(),
});

export type ScheduledEventResource = z.output<typeof scheduledEventResource>;
export type CancellationResource = z.output<typeof cancellationResource>;
