// Custom fields of contacts: created, changed and deleted in the settings of an organization. The service emits no facts about them.
import { isDeepStrictEqual } from 'node:util';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { invalid } from '#src/http/http-error.ts';
import { given, newUri, type Service, type StoredDefinition } from '#src/sandbox/world/service.ts';

type FieldType = CustomFieldDefinitionResource['field_type'];

export const definitionRecord = ({
  organization: _organization,
  ...definition
}: StoredDefinition): CustomFieldDefinitionResource => definition;

export interface NewField {
  readonly organization: string;
  readonly label: string;
  readonly field_type: FieldType;
  /** Labels. */
  readonly options?: readonly string[] | undefined;
  readonly currency?: string | undefined;
}

export function createField(
  service: Service,
  { organization, label, field_type, options = [], currency }: NewField,
): StoredDefinition {
  const now = service.clock.tick();
  const definition: StoredDefinition = {
    uri: newUri(service, 'contacts/custom_field_definitions'),
    label,
    field_type,
    ...(field_type === 'single_select' && { options: options.map((option) => newOption(service, option)) }),
    ...(field_type === 'currency' && { currency: currency ?? 'EUR' }),
    created_at: now,
    updated_at: now,
    retired_at: null,
    organization,
  };
  service.state.definitions.put(definition);
  return definition;
}

export interface FieldChange {
  readonly label?: string | undefined;
  readonly field_type?: FieldType | undefined;
  readonly add_options?: readonly string[] | undefined;
  /** Labels of options, each with its new label. */
  readonly rename_options?: Readonly<Record<string, string>> | undefined;
  /** A retired field is listed with `retired_at`, and contacts no longer show it. */
  readonly retired?: boolean | undefined;
}

/** A change without an effect leaves `updated_at` alone. */
export function updateField(service: Service, definition: StoredDefinition, change: FieldChange): StoredDefinition {
  const { add_options: added = [], rename_options: renamed = {}, retired, ...fields } = change;
  const { field_type } = { ...definition, ...given(fields) };
  const present = definition.options ?? [];
  if (field_type !== 'single_select' && added.length + Object.keys(renamed).length > 0)
    throw invalid({ message: 'only a custom field of the type single_select has options', parameter: 'uri' });
  const strange = Object.keys(renamed).find((label) => present.every((option) => option.label !== label));
  if (strange !== undefined) throw invalid({ message: 'no such option', parameter: `rename_options.${strange}` });
  const now = service.clock.tick();
  const options = [
    ...present.map(({ uuid, label }) => ({ uuid, label: new Map(Object.entries(renamed)).get(label) ?? label })),
    ...added.map((label) => newOption(service, label)),
  ];
  const changed: StoredDefinition = {
    ...definition,
    ...given(fields),
    ...(field_type === 'single_select' && { options }),
    ...(retired !== undefined && { retired_at: retired ? (definition.retired_at ?? now) : null }),
  };
  if (isDeepStrictEqual(changed, definition)) return definition;
  const updated = { ...changed, updated_at: now };
  service.state.definitions.put(updated);
  return updated;
}

/** It is no longer listed, and contacts no longer show it. */
export function deleteField({ state }: Service, definition: StoredDefinition): StoredDefinition {
  state.definitions.delete(definition.uri);
  return definition;
}

const newOption = ({ random }: Service, label: string) => ({ uuid: random.uuid(), label });
