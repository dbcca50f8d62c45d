// Shows a JSON schema: one line per field, nested fields beneath it, named schemas as links.
import { html } from 'hono/html';
import { componentPrefix, type JsonSchema } from './json-schema.ts';

export type Markup = ReturnType<typeof html>;

export const nothing: Markup = html``;

/** Text that may have `code` in it. */
export function prose(text = ''): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** The whole schema: its fields, or its type when it has none. */
export function schemaView(schema: JsonSchema): Markup {
  return fieldsOf(schema) ?? html`<p class="type">${typeView(schema)}${notesView(schema)}</p>`;
}

/** The fields of an object, of the items of a list, or of the one alternative that has any. */
function fieldsOf(schema: JsonSchema): Markup | undefined {
  const { properties, required = [], items } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (properties !== undefined)
    return html`<ul class="fields">
      ${Object.entries(properties).map(([name, field]) => fieldView(name, field, required.includes(name)))}
    </ul>`;
  if (items !== undefined) return fieldsOf(items);
  const parts = (choices ?? []).map(fieldsOf).filter((fields) => fields !== undefined);
  if (parts.length <= 1) return parts[0];
  return html`${parts.map((fields, index) => html`<p class="or">${index === 0 ? 'either' : 'or'}</p>${fields}`)}`;
}

function fieldView(name: string, schema: JsonSchema, isRequired: boolean): Markup {
  return html`<li>
    <code class="name">${name}</code>
    <span class="type">${typeView(schema)}</span>
    ${isRequired ? nothing : html`<span class="optional">optional</span>`}${notesView(schema)}${fieldsOf(schema) ?? nothing}
  </li>`;
}

/** The type in one or two words. */
function typeView(schema: JsonSchema): Markup {
  const { $ref, type, items, format } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice(componentPrefix.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, index) => html`${index === 0 ? '' : ' | '}<code>${value}</code>`)}`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return html`${distinct(choices).map((choice, index) => html`${index === 0 ? '' : ' | '}${typeView(choice)}`)}`;
  if (items !== undefined) return html`list of ${typeView(items)}`;
  const names = typeof type === 'string' ? [type] : (type ?? ['anything']);
  return html`${names.join(' | ')}${typeof format === 'string' ? ` (${format})` : ''}`;
}

/** Objects differ by their fields, which are listed beneath, so their types read alike and are shown once. */
function distinct(choices: readonly JsonSchema[]): readonly JsonSchema[] {
  const words = choices.map((choice) => (choice.properties === undefined ? JSON.stringify(choice) : 'object'));
  return choices.filter((_, index) => words.indexOf(words[index] ?? '') === index);
}

const limitWords: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minItems: 'items at least',
  maxItems: 'items at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  default: 'by default',
};

function notesView(schema: JsonSchema): Markup {
  const limits = Object.entries(limitWords)
    .filter(([keyword]) => schema[keyword] !== undefined && schema.format !== 'uri')
    .map(([keyword, words]) => `${words} ${String(schema[keyword])}`);
  const notes = [schema.description, ...limits].filter((note) => note !== undefined);
  return notes.length === 0 ? nothing : html`<span class="note">${prose(notes.join(', '))}</span>`;
}
