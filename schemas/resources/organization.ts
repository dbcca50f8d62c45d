// An organization, as the URI that every other record refers to answers. The specification does not show the record (A14).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';

export const organizationResource = z.strictObject({
  uri,
  name: z.string(),
  plan: z.enum(['free', 'standard', 'teams', 'enterprise']),
  stage: z.enum(['free', 'trial', 'paid']),
  resource_type: z.literal('Organization'),
});

export type OrganizationResource = z.output<typeof organizationResource>;
