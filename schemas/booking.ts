// The request that books: POST /invitees. What hangs on the event type (its location, its questions, round robin) is not here.
import { z } from 'zod';
import { limits } from './limits.ts';
import { timezoneName } from './timezone.ts';
import { trackingRequest } from './tracking.ts';
import { timestamp, uri } from './wire.ts';

const written = z.string().regex(/\S/, 'expected some text');

/** Here the discriminator is `kind`; in what is read back it is `type` (A4a). */
export const inviteeLocation = z.discriminatedUnion('kind', [
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
]);

export type InviteeLocation = z.output<typeof inviteeLocation>;

const answer = z.strictObject({ question: z.string(), answer: z.string(), position: z.int().min(0) });

const attendee = z
  .strictObject({
    email: z.email(),
    timezone: timezoneName,
    name: written.optional(),
    first_name: written.optional(),
    last_name: z.string().optional(),
    text_reminder_number: z.e164().optional(),
  })
  .refine(({ name, first_name }) => (name ?? first_name) !== undefined, {
    path: ['name'],
    message: 'required when first_name is absent',
  });

export const bookingRequest = z.strictObject({
  event_type: uri,
  start_time: timestamp,
  invitee: attendee,
  location: inviteeLocation.optional(),
  questions_and_answers: z.array(answer).optional(),
  tracking: trackingRequest.optional(),
  event_guests: z.array(z.email()).max(limits.eventGuests).optional(),
});

export type BookingRequest = z.output<typeof bookingRequest>;
