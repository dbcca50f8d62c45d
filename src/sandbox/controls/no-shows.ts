// Hosts mark invitees who did not come, and take the mark away.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { inviteeNamed } from '../world/bookings.ts';
import { markNoShow, unmarkNoShow } from '../world/no-shows.ts';
import { defineControl } from './control.ts';

const body = z.strictObject({ invitee: uri });

export const noShowControls = [
  defineControl({
    method: 'POST',
    path: '/no_shows',
    summary: 'Marks an invitee as a no-show',
    body,
    run: ({ service }, { invitee }) => ({
      resource: markNoShow(service, inviteeNamed(service, { uri: invitee, parameter: 'invitee' })),
    }),
  }),
  defineControl({
    method: 'DELETE',
    path: '/no_shows',
    summary: 'Takes the mark away',
    body,
    run: ({ service }, { invitee }) => ({
      resource: unmarkNoShow(service, inviteeNamed(service, { uri: invitee, parameter: 'invitee' })),
    }),
  }),
] as const;
