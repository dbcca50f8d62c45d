// Custom fields of contacts: the values a contact carries, the definitions behind them, and which value fits which type.
import { z } from 'zod';
import { moment, text, uri } from './wire.ts';

/** A value as read: its type hangs on a definition the delivery does not carry, so any value is taken. */
export const contactCustomField = z.looseObject({ uri: text, label: text, value: z.optional(z.unknown()) });

const option = z.looseObject({ uuid: text, label: text });

/** `field_type` is an open string on reading: the specification's two lists of types already disagree. */
export const customFieldDefinition = z.looseObject({
  uri,
  label: text,
  field_type: text,
  options: z.nullish(z.array(option)),
  currency: text,
  created_at: moment,
  updated_at: moment,
});

export type ContactCustomField = z.output<typeof contactCustomField>;
export type CustomFieldDefinition = z.output<typeof customFieldDefinition>;

/** The enum of the definition. `boolean` is missing here and `invitee_question` in the table of values below. */
export const definitionFieldTypes = [
  'text',
  'number',
  'currency',
  'tags',
  'date',
  'single_select',
  'invitee_question',
] as const;

/** What a set value must be, by field type; strict, for what we send and what the sandbox takes. */
const valueSchemas = {
  text: z.string(),
  single_select: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  currency: z.int(),
  date: z.iso.date(),
  tags: z.array(z.string()),
  /** Not shown in the specification (A8): any value passes. */
  invitee_question: z.unknown(),
} as const satisfies Record<(typeof definitionFieldTypes)[number] | 'boolean', z.ZodType>;

type CustomFieldType = keyof typeof valueSchemas;

const isCustomFieldType = (name: string): name is CustomFieldType => Object.hasOwn(valueSchemas, name);

/** The schema of a value for one definition: null clears a scalar, [] clears tags, an option must be one of the definition's. */
export function customFieldValueFor(definition: Pick<CustomFieldDefinition, 'field_type' | 'options'>): z.ZodType {
  const type = definition.field_type ?? '';
  if (!isCustomFieldType(type)) return z.unknown();
  if (type === 'tags') return valueSchemas.tags;
  if (type === 'single_select')
    return z.literal((definition.options ?? []).flatMap(({ uuid }) => uuid ?? [])).nullable();
  return valueSchemas[type].nullable();
}
