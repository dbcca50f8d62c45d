// The requests that make and change an event type. The specification names both without showing them (A23).
import { z } from 'zod';
import { eventTypeKinds, poolingTypes } from './event-type.ts';
import { customQuestion, eventTypeLocation } from '#schemas/resources/event-type.ts';
import { omittable, uri } from './wire.ts';

const mostMinutes = 12 * 60;
const mostSeats = 1000;
const mostHosts = 100;

const name = z.string().max(255).regex(/\S/, 'expected a name');
const longText = z.string().max(10_000).nullable();

/** Only the question itself has to be given; the place in the list is its position. */
const question = customQuestion
  .partial()
  .required({ name: true })
  .extend({ name: z.string().max(1000).regex(/\S/, 'expected a question') });

const changeable = {
  name,
  duration: z.int().min(1).max(mostMinutes),
  active: omittable(z.boolean()),
  color: omittable(z.string().regex(/^#[0-9a-f]{6}$/, 'expected a color such as #0a7d8c')),
  description_plain: longText.optional(),
  internal_note: longText.optional(),
  secret: omittable(z.boolean()),
  locale: omittable(z.string().min(2).max(10)),
  position: omittable(z.int().min(0).max(999_999)),
  locations: z.array(eventTypeLocation).max(20).nullable().optional(),
  custom_questions: omittable(
    z
      .array(question)
      .max(50)
      // Answers find their question by its text.
      .refine(
        (questions) => new Set(questions.map((one) => one.name)).size === questions.length,
        'expected no question twice',
      ),
  ),
};

export const eventTypeRequest = z
  .strictObject({
    ...changeable,
    /** The user it belongs to, and its host unless `hosts` names others. */
    owner: uri,
    hosts: omittable(z.array(uri).min(1).max(mostHosts)),
    kind: omittable(z.enum(eventTypeKinds)).default('solo'),
    pooling_type: z.enum(poolingTypes).nullable().default(null),
    /** Of a group: how many invitees one meeting takes. */
    seats: omittable(z.int().min(1).max(mostSeats)),
  })
  .check(({ value, issues }) => {
    const complain = (parameter: string, message: string) =>
      issues.push({ code: 'custom', path: [parameter], message, input: value });
    if (value.seats !== undefined && value.kind !== 'group') complain('seats', 'only for kind group');
    if (value.hosts !== undefined && value.hosts.length > 1 && value.pooling_type === null)
      complain('pooling_type', 'required for several hosts');
  });

export const eventTypeChange = z.strictObject(changeable).partial();

export type EventTypeRequest = z.output<typeof eventTypeRequest>;
export type EventTypeChange = z.output<typeof eventTypeChange>;
