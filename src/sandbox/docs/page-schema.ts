// Shows a JSON schema: one line per field, nested fields beneath it, named schemas as links.
import { html } from 'hono/html';
import { componentPrefix, type JsonSchema } from '#src/http/openapi/json-schema.ts';

export type Markup = ReturnType<typeof html>;

/** Text that may have `code` in it. */
export const prose = (text = ''): Markup =>
  html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** The whole schema: its fields, or its type when it has none. */
export const schemaView = (schema: JsonSchema): Markup =>
  fieldsOf(schema) ?? html`<p class="type">${typeView(schema)}${notesView(schema)}</p>`;

/** The fields of an object, of the items of a list, or of each alternative. */
function fieldsOf(schema: JsonSchema): Markup | undefined {
  const { properties, required = [], items } = schema;
  if (properties !== undefined)
    return html`<ul class="fields">
      ${Object.entries(properties).map(([name, field]) => fieldView(name, field, required.includes(name)))}
    </ul>`;
  if (items !== undefined) return fieldsOf(items);
  const parts = (schema.anyOf ?? schema.oneOf ?? []).map(fieldsOf).filter((fields) => fields !== undefined);
  if (parts.length <= 1) return parts[0];
  return html`${parts.map((fields, index) => html`<p class="or">${index === 0 ? 'either' : 'or'}</p>${fields}`)}`;
}

export function fieldView(name: string, schema: JsonSchema, isRequired: boolean): Markup {
  return html`<li>
    <code class="name">${name}</code> <span class="type">${typeView(schema)}</span>
    <span class="flag ${isRequired ? 'required' : ''}">${isRequired ? 'required' : 'optional'}</span>
    ${notesView(schema)} ${fieldsOf(schema) ?? ''}
  </li>`;
}

const joined = (parts: readonly unknown[]): Markup =>
  html`${parts.map((part, index) => html`${index === 0 ? '' : ' | '}${part}`)}`;

/** The type in one or two words. */
function typeView(schema: JsonSchema): Markup {
  const { $ref, type, items, format } = schema;
  const name = $ref?.slice(componentPrefix.length);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return joined(schema.enum.map((value) => html`<code>${value}</code>`));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(distinct(choices).map(typeView));
  if (items !== undefined) return html`list of ${typeView(items)}`;
  const names = typeof type === 'string' ? [type] : (type ?? ['anything']);
  return html`${names.join(' | ')}${typeof format === 'string' ? ` (${format})` : ''}`;
}

/** Objects differ by their fields, which are listed beneath, so their types read alike and are shown once. */
function distinct(choices: readonly JsonSchema[]): readonly JsonSchema[] {
  const words = choices.map((choice) => (choice.properties === undefined ? JSON.stringify(choice) : 'object'));
  return choices.filter((_, index) => words.indexOf(words[index] ?? '') === index);
}

const limitKeywords = ['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'default'];

function notesView(schema: JsonSchema): Markup {
  const limits = limitKeywords
    .filter((keyword) => schema[keyword] !== undefined && schema['format'] !== 'uri')
    .map((keyword) => `${keyword} ${String(schema[keyword])}`);
  const notes = [schema.description, ...limits].filter((note) => note !== undefined);
  return html`<span class="note">${prose(notes.join(', '))}</span>`;
}
