// A group of users in an organization. The specification does not show the record (A28).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { instant } from './values.ts';

export const groupResource = z.strictObject({
  uri,
  name: z.string(),
  organization: uri,
  member_count: z.int().min(0),
  created_at: instant,
  updated_at: instant,
});

export type GroupResource = z.output<typeof groupResource>;
