// What invitees and hosts do on the hosted pages: cancel and reschedule.
import { z } from 'zod';
import { cancelerTypes } from '#schemas/invitee.ts';
import { omittable, timestamp } from '#schemas/wire.ts';
import { cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { demandInvitee, whichInvitee } from './chosen-invitee.ts';
import { defineControl } from './control.ts';

export const inviteeControls = [
  defineControl({
    method: 'POST',
    path: '/invitees/cancel',
    summary: 'An invitee cancels, or the host does',
    body: z.strictObject({
      ...whichInvitee,
      canceler_type: omittable(z.enum(cancelerTypes)).default('invitee'),
      reason: z.string().max(10_000).nullable().default(null),
    }),
    run({ service }, { canceler_type, reason, ...named }) {
      const invitee = demandInvitee(service, named, 'uri');
      return { resource: cancelInvitee(service, invitee, { cancelerType: canceler_type, reason }) };
    },
  }),
  defineControl({
    method: 'POST',
    path: '/invitees/reschedule',
    summary: 'An invitee moves to another time; answers with the new invitee',
    body: z.strictObject({ ...whichInvitee, start_time: timestamp }),
    run: ({ service }, { start_time: startTime, ...named }) => ({
      resource: rescheduleInvitee(service, demandInvitee(service, named, 'uri'), { startTime }),
    }),
  }),
] as const;
