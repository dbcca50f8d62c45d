// Users, their places in an organization, and groups, as the service tells of them: read tolerantly (A14, A28).
import { z } from 'zod';
import { integer, loosely, moment, text, uri } from './wire.ts';

const person = {
  uri,
  name: text,
  slug: text,
  email: text,
  scheduling_url: text,
  timezone: text,
  avatar_url: text,
  locale: text,
  created_at: moment,
  updated_at: moment,
};

export const user = z.looseObject({ ...person, current_organization: text });

export const organizationMembership = z.looseObject({
  uri,
  role: text,
  user: loosely(z.looseObject(person)),
  organization: text,
  created_at: moment,
  updated_at: moment,
});

export const group = z.looseObject({
  uri,
  name: text,
  organization: text,
  member_count: integer.nullish(),
  created_at: moment,
  updated_at: moment,
});

export type User = z.output<typeof user>;
export type OrganizationMembership = z.output<typeof organizationMembership>;
export type Group = z.output<typeof group>;
