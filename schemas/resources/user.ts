// A user, and a user's place in an organization. The specification shows neither record: the fields are assumed (A14).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { instant, nullableText } from './values.ts';

export const membershipRoles = ['owner', 'admin', 'user'] as const;

export const userResource = z.strictObject({
  uri,
  name: z.string(),
  slug: z.string(),
  email: z.email(),
  scheduling_url: z.url(),
  timezone: z.string(),
  avatar_url: nullableText,
  locale: z.string(),
  created_at: instant,
  updated_at: instant,
  current_organization: uri,
  resource_type: z.literal('User'),
});

export const membershipResource = z.strictObject({
  uri,
  role: z.enum(membershipRoles),
  user: uri,
  organization: uri,
  created_at: instant,
  updated_at: instant,
});

export type UserResource = z.output<typeof userResource>;
export type MembershipResource = z.output<typeof membershipResource>;
export type MembershipRole = (typeof membershipRoles)[number];
