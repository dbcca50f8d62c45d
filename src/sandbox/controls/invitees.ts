// Controls for what invitees and hosts do on the hosted pages: cancel, reschedule, and mark a no-show.
import { z } from 'zod';
import { cancelerTypes } from '#schemas/invitee.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { omittable, timestamp, uri } from '#schemas/wire.ts';
import { invalid } from '#src/http/http-error.ts';
import {
  cancelInvitee,
  inviteeNamed,
  rescheduleInvitee,
  markNoShow,
  unmarkNoShow,
} from '#src/sandbox/world/bookings/bookings.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { defineControl } from './control.ts';

type InviteeField = 'uri' | 'invitee';

/** People try either of the two fields. */
const whichInvitee = { uri: omittable(uri), invitee: omittable(uri) };

export const inviteeControls = [
  defineControl({
    id: 'postInviteesCancel',
    method: 'POST',
    path: '/invitees/cancel',
    summary: 'An invitee cancels, or the host does',
    body: z.strictObject({
      ...whichInvitee,
      canceler_type: omittable(z.enum(cancelerTypes)).default('invitee'),
      reason: z.string().max(10_000).nullable().default(null),
    }),
    answers: 'resource',
    run({ service, body: { canceler_type, reason, ...named } }) {
      const invitee = demandInvitee(service, named, 'uri');
      return cancelInvitee(service, invitee, { cancelerType: canceler_type, reason });
    },
  }),
  defineControl({
    id: 'postInviteesReschedule',
    method: 'POST',
    path: '/invitees/reschedule',
    summary: 'An invitee moves to another time; answers with the new invitee',
    body: z.strictObject({ ...whichInvitee, start_time: timestamp }),
    answers: 'resource',
    run: ({ service, body: { start_time: startTime, ...named } }) =>
      rescheduleInvitee(service, demandInvitee(service, named, 'uri'), { startTime }),
  }),
  defineControl({
    id: 'postNoShows',
    method: 'POST',
    path: '/no_shows',
    summary: 'Marks an invitee as a no-show',
    body: z.strictObject(whichInvitee),
    answers: 'resource',
    run: ({ service, body }) => markNoShow(service, demandInvitee(service, body, 'invitee')),
  }),
  defineControl({
    id: 'deleteNoShows',
    method: 'DELETE',
    path: '/no_shows',
    summary: 'Removes the mark',
    body: z.strictObject(whichInvitee),
    answers: 'resource',
    run: ({ service, body }) => unmarkNoShow(service, demandInvitee(service, body, 'invitee')),
  }),
] as const;

/** `usual` is the field that the control is documented with. */
function demandInvitee(
  service: Service,
  given: { readonly [Name in InviteeField]?: string | undefined },
  usual: InviteeField,
): InviteeResource {
  const other: InviteeField = usual === 'uri' ? 'invitee' : 'uri';
  const parameter = given[usual] === undefined && given[other] !== undefined ? other : usual;
  const named = given[parameter];
  if (named === undefined) throw invalid({ message: 'required', parameter });
  if ((given[other] ?? named) !== named) throw invalid({ message: `not the same as ${usual}`, parameter: other });
  return inviteeNamed(service, { uri: named, parameter });
}
