// Hosts mark invitees who did not come, and take the mark away.
import { z } from 'zod';
import { markNoShow, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { demandInvitee, whichInvitee } from './chosen-invitee.ts';
import { defineControl } from './control.ts';

const body = z.strictObject(whichInvitee);

export const noShowControls = [
  defineControl({
    method: 'POST',
    path: '/no_shows',
    summary: 'Marks an invitee as a no-show',
    body,
    run: ({ service }, named) => ({ resource: markNoShow(service, demandInvitee(service, named, 'invitee')) }),
  }),
  defineControl({
    method: 'DELETE',
    path: '/no_shows',
    summary: 'Takes the mark away',
    body,
    run: ({ service }, named) => ({ resource: unmarkNoShow(service, demandInvitee(service, named, 'invitee')) }),
  }),
] as const;
