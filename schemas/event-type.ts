// An event type: what can be booked. Its events are in the specification's scope table but not in the request enum.
import { z } from 'zod';
import { asSent, noNotes, type EventContract } from './event.ts';
import { flag, integer, loosely, moment, text, uri } from './wire.ts';

export const eventTypeKinds = ['solo', 'group'] as const;
export const poolingTypes = ['round_robin', 'collective', 'multi_pool'] as const;

const customQuestion = z.looseObject({
  name: text,
  type: text,
  position: z.nullish(integer),
  enabled: flag,
  required: flag,
  answer_choices: z.nullish(z.array(z.string())),
  include_other: flag,
});

/** Deleted, it is the same record with `deleted_at`, or only `uri` and `deleted_at` (A4e). */
export const eventType = z.looseObject({
  uri,
  name: text,
  active: flag,
  slug: text,
  scheduling_url: text,
  duration: z.nullish(integer),
  kind: text,
  pooling_type: text,
  type: text,
  color: text,
  created_at: moment,
  updated_at: moment,
  internal_note: text,
  description_plain: text,
  description_html: text,
  profile: z.nullish(z.looseObject({ type: text, name: text, owner: text })),
  secret: flag,
  booking_method: text,
  custom_questions: loosely(z.array(customQuestion)),
  deleted_at: moment,
  admin_managed: flag,
  locations: loosely(z.array(z.looseObject({ kind: text }))),
  position: z.nullish(integer),
  locale: text,
});

/** A time at which an event type can be booked (A6e). */
export const availableTime = z.looseObject({
  status: text,
  start_time: moment,
  invitees_remaining: z.nullish(integer),
  scheduling_url: text,
});

export type EventType = z.output<typeof eventType>;
export type AvailableTime = z.output<typeof availableTime>;

const contract = {
  family: 'event-type',
  allowedScopes: ['organization', 'user', 'group'],
  requiredCallerScope: 'event_types:read',
  inRequestEnum: false,
  unwrap: asSent,
  schema: eventType,
  notes: noNotes,
} as const satisfies EventContract<EventType>;

export const eventTypeEvents = {
  'event_type.created': contract,
  'event_type.updated': contract,
  'event_type.deleted': contract,
} as const;
