// What invitees and hosts do on the hosted pages: cancel and reschedule.
import { z } from 'zod';
import { cancelerTypes } from '#schemas/invitee.ts';
import { timestamp, uri } from '#schemas/wire.ts';
import { cancelInvitee, inviteeNamed, rescheduleInvitee } from '../world/bookings.ts';
import { defineControl } from './control.ts';

export const inviteeControls = [
  defineControl({
    method: 'POST',
    path: '/invitees/cancel',
    summary: 'An invitee cancels, or the host does',
    body: z.strictObject({
      uri,
      canceler_type: z.enum(cancelerTypes).default('invitee'),
      reason: z.string().max(10_000).nullable().default(null),
    }),
    run({ service }, { uri, canceler_type, reason }) {
      const invitee = inviteeNamed(service, { uri, parameter: 'uri' });
      return { resource: cancelInvitee(service, invitee, { cancelerType: canceler_type, reason }) };
    },
  }),
  defineControl({
    method: 'POST',
    path: '/invitees/reschedule',
    summary: 'An invitee moves to another time; answers with the new invitee',
    body: z.strictObject({ uri, start_time: timestamp }),
    run: ({ service }, { uri, start_time }) => ({
      resource: rescheduleInvitee(service, inviteeNamed(service, { uri, parameter: 'uri' }), { startTime: start_time }),
    }),
  }),
] as const;
