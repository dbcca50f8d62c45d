// An event type as the service lists it (the fields of A4e), and a time at which it can be booked.
import { z } from 'zod';
import { eventTypeKinds, poolingTypes } from '#schemas/event-type.ts';
import { uri } from '#schemas/wire.ts';
import { instant, nullableText } from './values.ts';

/** The kinds of place a meeting can have; a booking must name the one its event type is set to. */
export const locationKinds = [
  'physical',
  'inbound_call',
  'outbound_call',
  'zoom_conference',
  'google_conference',
  'gotomeeting_conference',
  'microsoft_teams_conference',
  'webex_conference',
  'ask_invitee',
  'custom',
] as const;

export const customQuestion = z.strictObject({
  name: z.string(),
  type: z.enum(['string', 'text', 'phone_number', 'single_select', 'multi_select']),
  position: z.int().min(0),
  enabled: z.boolean(),
  required: z.boolean(),
  answer_choices: z.array(z.string()),
  include_other: z.boolean(),
});

export const eventTypeLocation = z.strictObject({
  kind: z.enum(locationKinds),
  location: z.string().optional(),
  phone_number: z.string().optional(),
  additional_info: z.string().optional(),
});

export const eventTypeResource = z.strictObject({
  uri,
  name: nullableText,
  active: z.boolean(),
  slug: nullableText,
  scheduling_url: z.url(),
  duration: z.int().min(1),
  kind: z.enum(eventTypeKinds),
  pooling_type: z.enum(poolingTypes).nullable(),
  type: z.enum(['StandardEventType', 'AdhocEventType']),
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  created_at: instant,
  updated_at: instant,
  internal_note: nullableText,
  description_plain: nullableText,
  description_html: nullableText,
  profile: z.strictObject({ type: z.enum(['User', 'Team']), name: z.string(), owner: uri }).nullable(),
  secret: z.boolean(),
  booking_method: z.enum(['instant', 'poll']),
  custom_questions: z.array(customQuestion),
  deleted_at: instant.nullable(),
  admin_managed: z.boolean(),
  locations: z.array(eventTypeLocation).nullable(),
  position: z.int().min(0),
  locale: z.string(),
});

export const availableTimeResource = z.strictObject({
  status: z.literal('available'),
  start_time: instant,
  invitees_remaining: z.int().min(1),
  scheduling_url: z.url(),
});

export type EventTypeResource = z.output<typeof eventTypeResource>;
export type EventTypeLocation = z.output<typeof eventTypeLocation>;
export type LocationKind = (typeof locationKinds)[number];
export type AvailableTimeResource = z.output<typeof availableTimeResource>;
