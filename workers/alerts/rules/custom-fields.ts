// Custom fields of contacts as rules and messages see them: by the label of the field, with the label of the selected option.
import { propertyOf } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { customFieldDefinitions } from '#src/read/contacts/custom-fields.ts';
import { readColumns } from '#src/store/rows.ts';
import { contextColumns, type ContactContext } from './rule.ts';
import type { BookingRule } from './ruleset.ts';

type WithFields = Pick<ContactContext['row'], 'custom_fields'>;

/** Returns how the values of one of these contacts are read, by the definitions of their fields. */
export async function customFieldReader(
  from: Store | Unit,
  contacts: readonly WithFields[],
): Promise<(contact: WithFields) => Pick<ContactContext, 'fields' | 'optionUuids'>> {
  const rows = await readColumns(from, 'custom_field_definitions', {
    columns: ['uri', 'label', 'options'],
    key: 'uri',
    values: [...new Set(contacts.flatMap((contact) => [...valuesOf(contact).keys()]))],
  });
  const definitions = new Map(rows.map(({ uri, label, options }) => [uri, { label, options: optionsOf(options) }]));
  return (contact) => {
    const read = [...valuesOf(contact)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([uri, { label, value }]) => {
        const definition = definitions.get(uri);
        const option = definition?.options.get(value);
        // A contact has the label of the time when it was sent.
        return { label: definition?.label ?? String(label), shown: option ?? value, uuid: option && value };
      });
    return {
      fields: new Map(read.map(({ label, shown }) => [label, shown])),
      optionUuids: new Map(read.flatMap(({ label, uuid }) => (uuid === undefined ? [] : [[label, uuid] as const]))),
    };
  };
}

/** The values of a contact by the URI of their field; the last one of each, as in the view `contact_custom_fields`. */
function valuesOf({ custom_fields: sent }: WithFields): ReadonlyMap<string, { label: unknown; value: unknown }> {
  const list: readonly unknown[] = Array.isArray(sent) ? sent : [];
  return new Map(
    list.flatMap((each) => {
      const uri = propertyOf(each, 'uri');
      const found = { label: propertyOf(each, 'label') ?? null, value: propertyOf(each, 'value') ?? null };
      return typeof uri === 'string' ? [[uri, found] as const] : [];
    }),
  );
}

/** The labels of options by their UUID. */
function optionsOf(options: unknown): ReadonlyMap<unknown, string> {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  return new Map(
    list.flatMap((option) => {
      const [uuid, label] = [propertyOf(option, 'uuid'), propertyOf(option, 'label')];
      return typeof uuid === 'string' && typeof label === 'string' ? [[uuid, label] as const] : [];
    }),
  );
}

type CheckedRule = Pick<BookingRule, 'name' | 'contactFields' | 'template' | 'retractionTemplate'>;

/** The fields of contacts that a rule and its templates name. */
async function fieldsNamedBy({ name: rule, contactFields, template, retractionTemplate }: CheckedRule) {
  const templates = [template, retractionTemplate].filter((one) => one !== undefined);
  const named = contactFields.map((one) => ({ rule, ...one }));
  if (templates.length === 0) return named;
  // The template engine is large and most rules have no template.
  const { contactFieldsIn } = await import('#workers/alerts/message/template.ts');
  return [...named, ...templates.flatMap(contactFieldsIn).map((field) => ({ rule, field, values: [] }))];
}

/** Fields and options in rules that contacts do not have, one sentence each; none while no definitions were read from the service. */
export async function unknownContactFields(store: Store, rules: readonly CheckedRule[]): Promise<readonly string[]> {
  const named = (await Promise.all(rules.map(fieldsNamedBy))).flat();
  if (named.length === 0) return [];
  const rows = await customFieldDefinitions(store);
  if (rows.length === 0) return [];
  const labels = rows.flatMap(({ label }) => label ?? []).toSorted();
  return named.flatMap(({ rule, field, values }) => {
    if (contextColumns.contacts.some((column) => column === field)) return [];
    const definitions = rows.filter(({ label }) => label === field);
    if (definitions.length === 0)
      return [`Rule ${rule}: contacts have no field “${field}”. Custom fields: ${labels.join(', ')}.`];
    const options = definitions.flatMap(({ options: given }) => [...optionsOf(given)]);
    const known = new Set(options.flat().map((text) => String(text).toLowerCase()));
    const unknown = options.length === 0 ? [] : values.filter((value) => !known.has(String(value).toLowerCase()));
    const choices = options.map(([, label]) => label).join(', ');
    return unknown.map(
      (value) => `Rule ${rule}: the field “${field}” has no option “${String(value)}”. Options: ${choices}.`,
    );
  });
}
