// A contact and the definitions behind its custom fields, as the specification's tables have them.
import { z } from 'zod';
import { definitionFieldTypes } from '#schemas/custom-field.ts';
import { limits } from '#schemas/limits.ts';
import { uri } from '#schemas/wire.ts';
import { contactInstant, instant, nullableText } from './values.ts';

const customFieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const contactResource = z.strictObject({
  uri,
  emails: z
    .array(z.strictObject({ email: z.string(), is_primary: z.boolean() }))
    .min(1)
    .max(limits.emailsPerContact),
  created_at: instant,
  updated_at: instant,
  name: nullableText,
  phone_numbers: z.array(z.strictObject({ phone_number: z.string() })).max(limits.phoneNumbersPerContact),
  timezone: nullableText,
  job_title: nullableText,
  company: nullableText,
  country: nullableText,
  state: nullableText,
  city: nullableText,
  linkedin: nullableText,
  /** Left out by `exclude=custom_fields`, and only then. */
  custom_fields: z.array(z.strictObject({ uri, value: customFieldValue.nullable(), label: z.string() })).optional(),
  first_email_date: contactInstant.nullable(),
  last_email_date: contactInstant.nullable(),
  next_meeting_date: contactInstant.nullable(),
  last_meeting_date: contactInstant.nullable(),
  last_interaction_date: contactInstant.nullable(),
});

/** `retired_at` and the options' `label` are assumed (A15). */
export const customFieldDefinitionResource = z.strictObject({
  uri,
  label: z.string(),
  field_type: z.enum(definitionFieldTypes),
  options: z.array(z.strictObject({ uuid: z.string(), label: z.string() })).optional(),
  currency: z.string().length(3).optional(),
  created_at: instant,
  updated_at: instant,
  retired_at: instant.nullable(),
});

export type ContactResource = z.output<typeof contactResource>;
export type CustomFieldDefinitionResource = z.output<typeof customFieldDefinitionResource>;
export type CustomFieldValue = z.output<typeof customFieldValue>;
