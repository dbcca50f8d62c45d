// Fields of contacts that rules name and that no contact has.
import type { Store } from '#src/store/contract.ts';
import { customFieldDefinitions, optionsOf } from '#src/read/contacts/custom-fields.ts';
import { contextColumns } from '#src/read/bookings/booking-context.ts';
import type { BookingRule } from './ruleset.ts';

type CheckedRule = Pick<BookingRule, 'name' | 'contactFields' | 'template' | 'retractionTemplate'>;

/** The fields of contacts that a rule and its templates name. */
async function fieldsNamedBy({ name: rule, contactFields, template, retractionTemplate }: CheckedRule) {
  const templates = [template, retractionTemplate].filter((one) => one !== undefined);
  const named = contactFields.map((one) => ({ rule, ...one }));
  if (templates.length === 0) return named;
  // The template engine is large and most rules have no template.
  const { contactFieldsIn } = await import('#workers/out/alerts/message/template.ts');
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
