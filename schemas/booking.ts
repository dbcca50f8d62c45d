// The request that books, POST /invitees, and the one that marks a no-show. What hangs on the event type (its location, its questions,
// round robin) is not here.
import { z } from 'zod';
import { limits } from './limits.ts';
import { locationKinds } from '#schemas/resources/event-type.ts';
import { timezoneName } from './timezone.ts';
import { trackingRequest } from './tracking.ts';
import { omittable, timestamp, uri } from './wire.ts';

const written = z.string().regex(/\S/, 'expected some text');

/** Here the discriminator is `kind`; in what is read back it is `type` (A4a). */
export const inviteeLocation = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('physical'), location: written }),
    z.strictObject({ kind: z.literal('inbound_call') }),
    z.strictObject({ kind: z.literal('outbound_call'), location: written }),
    z.strictObject({ kind: z.literal('zoom_conference') }),
    z.strictObject({ kind: z.literal('google_conference') }),
    z.strictObject({ kind: z.literal('gotomeeting_conference') }),
    z.strictObject({ kind: z.literal('microsoft_teams_conference') }),
    z.strictObject({ kind: z.literal('webex_conference') }),
    z.strictObject({ kind: z.literal('ask_invitee'), location: written }),
    z.strictObject({ kind: z.literal('custom'), location: written }),
  ],
  // A value that is not an object gets the usual message.
  { error: ({ code }) => (code === 'invalid_union' ? `expected one of ${locationKinds.join(', ')}` : undefined) },
);

export type InviteeLocation = z.output<typeof inviteeLocation>;

/** Spaces, dashes, dots and brackets are for the eye. */
const phoneNumber = z
  .string()
  .max(64)
  .regex(
    /^[ ().-]*\+[ ().-]*[1-9](?:[ ().-]*\d){6,14}[ ().-]*$/,
    'expected a phone number in international format: + and 7 to 15 digits',
  );

const answer = z.strictObject({ question: z.string(), answer: z.string(), position: z.int().min(0) });

const attendee = z
  .strictObject({
    email: z.email(),
    timezone: timezoneName,
    name: omittable(written),
    first_name: omittable(written),
    last_name: omittable(z.string()),
    text_reminder_number: omittable(phoneNumber),
  })
  .refine(({ name, first_name }) => (name ?? first_name) !== undefined, {
    path: ['name'],
    message: 'required when first_name is absent',
  });

export const bookingRequest = z.strictObject({
  event_type: uri,
  start_time: timestamp,
  invitee: attendee,
  location: omittable(inviteeLocation),
  questions_and_answers: omittable(z.array(answer)),
  tracking: omittable(trackingRequest),
  event_guests: omittable(z.array(z.email()).max(limits.eventGuests)),
});

/** POST /invitee_no_shows (A14). */
export const noShowRequest = z.strictObject({ invitee: uri });

/** POST /scheduled_events/<uuid>/cancellation, of the public service. */
export const cancellationRequest = z.strictObject({ reason: omittable(z.string().max(10_000)) });

export type BookingRequest = z.output<typeof bookingRequest>;
