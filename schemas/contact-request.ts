// What may be asked about contacts: the list with its filters, and writes. Strict, with the specification's limits.
import { z } from 'zod';
import { countryCode } from './country.ts';
import { limits } from './limits.ts';
import { pageQuery, sortKeyOf } from './pagination.ts';
import { timezoneName } from './timezone.ts';
import { omittable } from './wire.ts';

/** One segment or several, comma-separated; blank segments mean nothing. */
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((segment) => segment.trim())
    .filter(Boolean),
);

/** A plus that was not encoded arrives as a space: a number behind one is looked for with the plus, too. */
const numbers = z
  .string()
  .transform((value) =>
    value.split(',').flatMap((segment) => (/^ \d/.test(segment) ? [segment, `+${segment.trim()}`] : segment)),
  )
  .transform((segments) => segments.map((segment) => segment.trim()).filter(Boolean));

/** How each filter of GET /contacts matches. */
export const contactFilters = {
  email: 'exact',
  phone_number: 'exact',
  timezone: 'exact',
  name: 'partial',
  job_title: 'partial',
  company: 'partial',
  country: 'exact',
  state: 'exact',
  city: 'partial',
} as const;

export const contactListQuery = pageQuery.extend({
  sort: list.pipe(z.array(sortKeyOf(['created_at', 'updated_at']))).optional(),
  email: list.optional(),
  phone_number: numbers.optional(),
  timezone: list.optional(),
  name: list.optional(),
  job_title: list.optional(),
  company: list.optional(),
  country: list.optional(),
  state: list.optional(),
  city: list.optional(),
  exclude: z.literal('custom_fields').optional(),
} satisfies Record<keyof typeof contactFilters | 'sort' | 'exclude', z.ZodType>);

/** GET /contacts/<uuid> leaves out what the list leaves out. */
export const contactGetQuery = contactListQuery.pick({ exclude: true });

export type ContactListQuery = z.output<typeof contactListQuery>;

/** Where no address says whether it is the primary one, the first is (A9). */
const emails = z
  .array(z.strictObject({ email: z.email(), is_primary: omittable(z.boolean()) }))
  .min(1)
  .max(limits.emailsPerContact)
  .transform((entries) =>
    entries.map(({ email, is_primary }, index) => ({
      email,
      is_primary: is_primary ?? (index === 0 && entries.every((entry) => entry.is_primary === undefined)),
    })),
  )
  .refine((entries) => entries.filter((entry) => entry.is_primary).length === 1, 'expected exactly one primary e-mail');

/**
 * Named by its `uuid`, or, as it was read, by its `uri`. `label` and schema fields are ignored on write, so they are let
 * through here. Values are checked against definitions.
 */
const customFieldWrite = z
  .looseObject({ uuid: omittable(z.string().min(1)), uri: z.unknown().optional(), value: z.unknown() })
  .refine(({ uuid, uri }) => uuid !== undefined || typeof uri === 'string', { path: ['uuid'], message: 'required' });

const details = {
  name: z.string().nullable(),
  phone_numbers: omittable(
    z.array(z.strictObject({ phone_number: z.string().min(1) })).max(limits.phoneNumbersPerContact),
  ),
  timezone: timezoneName.nullable(),
  job_title: z.string().nullable(),
  company: z.string().nullable(),
  country: countryCode.nullable(),
  state: z.string().nullable(),
  city: z.string().nullable(),
  linkedin: z.url({ protocol: /^https?$/ }).nullable(),
  custom_fields: omittable(z.array(customFieldWrite)),
};

/** POST /contacts; the body beyond `custom_fields` is not shown (A9). */
export const contactCreateRequest = z.strictObject({ emails, ...z.strictObject(details).partial().shape });

/** PATCH /contacts/<uuid>: only what changes; custom fields merge. */
export const contactUpdateRequest = contactCreateRequest.extend({ emails: omittable(emails) });
