// A link with which an event type can be booked once, as the public service answers it.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';

export const schedulingLinkResource = z.strictObject({
  booking_url: z.url(),
  owner: uri,
  owner_type: z.literal('EventType'),
});

export type SchedulingLinkResource = z.output<typeof schedulingLinkResource>;
