// Writing custom fields: values a request sets and clears, checked against the definitions. All are valid, or none is written.
import type { z } from 'zod';
import type { contactUpdateRequest } from '#schemas/contact-request.ts';
import { customFieldValueFor } from '#schemas/custom-field.ts';
import { contactResource, type CustomFieldValue } from '#schemas/resources/contact.ts';
import { invalid } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';

type Writes = NonNullable<z.output<typeof contactUpdateRequest>['custom_fields']>;
type Values = ReadonlyMap<string, CustomFieldValue>;

interface Merge {
  readonly before: Values | undefined;
  readonly writes: Writes;
}

/** The values after the writes: only named fields change, null clears a scalar, [] clears tags. */
export function mergeValues({ state }: Pick<Service, 'state'>, organization: string, merge: Merge): Values {
  const definitions = state.definitions.of('organization', organization);
  const values = new Map(merge.before);
  const written = new Set<string>();
  merge.writes.forEach((write, index) => {
    const refuse = (message: string, field: string): Error =>
      invalid({ message, parameter: `custom_fields.${index}.${field}` });
    const named = write.uuid === undefined ? 'uri' : 'uuid';
    const definition = definitions.find(({ uri }) => uri === write[named] || uri.endsWith(`/${write.uuid}`));
    if (definition === undefined) throw refuse('no such custom field', named);
    if (definition.retired_at !== null) throw refuse('this custom field was retired', named);
    if (written.has(definition.uri)) throw refuse('this custom field is written twice', named);
    written.add(definition.uri);
    const value = valueFor(definition, write.value);
    if (value === undefined) throw refuse(`does not fit a custom field of the type ${definition.field_type}`, 'value');
    if (value === null || (Array.isArray(value) && value.length === 0)) values.delete(definition.uri);
    else values.set(definition.uri, value);
  });
  return values;
}

/** The values a response can hold; limits `invitee_question`, whose type is not specified (A8). */
const shown = contactResource.shape.custom_fields.unwrap().element.shape.value;

/** Undefined when the value is invalid. */
function valueFor({ options, field_type }: StoredDefinition, value: unknown): CustomFieldValue | null | undefined {
  const fits = customFieldValueFor({ field_type, options }).safeParse(value).success;
  return fits ? shown.safeParse(value).data : undefined;
}
