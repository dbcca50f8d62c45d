// Controls: what an invited person does with the message.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { acceptInvitation, declineInvitation } from '#src/sandbox/world/invitations.ts';
import { defineControl } from './control.ts';

const body = z.strictObject({ uri });

export const invitationControls = [
  defineControl({
    method: 'POST',
    path: '/invitations/accept',
    summary: 'The invited person joins the organization',
    body,
    run: ({ service }, { uri }) => ({ resource: acceptInvitation(service, uri) }),
  }),
  defineControl({
    method: 'POST',
    path: '/invitations/decline',
    summary: 'The invited person does not join',
    body,
    run: ({ service }, { uri }) => ({ resource: declineInvitation(service, uri) }),
  }),
] as const;
