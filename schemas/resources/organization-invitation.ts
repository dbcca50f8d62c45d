// An invitation to an organization, field by field as the specification's table has it.
import { z } from 'zod';
import { invitationStatuses } from '#schemas/invitation.ts';
import { uri } from '#schemas/wire.ts';
import { instant } from './values.ts';

export const invitationResource = z.strictObject({
  uri,
  organization: uri,
  email: z.email(),
  status: z.enum(invitationStatuses),
  created_at: instant,
  updated_at: instant,
  last_sent_at: instant.nullable(),
  /** There once the invitation was accepted. */
  user: uri.optional(),
});

export type InvitationResource = z.output<typeof invitationResource>;
