// The request that makes a link with which an event type can be booked once, POST /scheduling_links of the public service.
import { z } from 'zod';
import { uri } from './wire.ts';

export const schedulingLinkRequest = z.strictObject({
  max_event_count: z.literal(1),
  /** The URI of the event type. */
  owner: uri,
  owner_type: z.literal('EventType'),
});

/** A link that was not used ends after so many days. */
export const schedulingLinkDays = 90;
