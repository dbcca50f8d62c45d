// The requests that delete what is known of invitees, POST /data_compliance/deletion/… of the public service.
import { z } from 'zod';
import { timestamp } from './wire.ts';

export const inviteeDeletionRequest = z.strictObject({ emails: z.array(z.email()).min(1).max(100) });

/** A time in the past. */
export const eventDeletionRequest = z.strictObject({ start_time: timestamp, end_time: timestamp });

export const eventDeletionMonths = 24;
