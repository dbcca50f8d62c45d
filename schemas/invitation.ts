// Invitations of users to an organization.
import { z } from 'zod';
import { moment, text, uri } from './wire.ts';

export const invitationStatuses = ['pending', 'accepted', 'declined'] as const;

export const organizationInvitation = z.looseObject({
  uri,
  organization: text,
  email: text,
  status: text,
  created_at: moment,
  updated_at: moment,
  last_sent_at: moment,
  /** Present once accepted. */
  user: text,
});

export type OrganizationInvitation = z.output<typeof organizationInvitation>;

export const invitationRequest = z.strictObject({ email: z.email().max(254) });
