// When a user can be booked, and when not: availability schedules and busy times, as the public service answers them.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { instant } from './values.ts';

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Local to the zone of the schedule. */
const timeOfDay = z.string().regex(/^\d\d:\d\d$/);

export const availabilityScheduleResource = z.strictObject({
  uri,
  default: z.boolean(),
  name: z.string(),
  user: uri,
  timezone: z.string(),
  rules: z.array(
    z.strictObject({
      type: z.literal('wday'),
      wday: z.enum(weekdays),
      intervals: z.array(z.strictObject({ from: timeOfDay, to: timeOfDay })),
    }),
  ),
});

/** A meeting of the service; calendars of other providers are not simulated. */
export const busyTimeResource = z.strictObject({
  type: z.literal('calendly'),
  start_time: instant,
  end_time: instant,
  buffered_start_time: instant,
  buffered_end_time: instant,
  event: z.strictObject({ uri }),
});

/** Both lists come whole. */
export const availabilityScheduleList = z.strictObject({ collection: z.array(availabilityScheduleResource) });
export const busyTimeList = z.strictObject({ collection: z.array(busyTimeResource) });

export type AvailabilityScheduleResource = z.output<typeof availabilityScheduleResource>;
export type BusyTimeResource = z.output<typeof busyTimeResource>;
