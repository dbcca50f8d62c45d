// The parameters of an operation: the placeholders of its path and the keys of its query, each with its meaning.
import { contactFilters } from '#schemas/contact-request.ts';
import type { Operation } from '#src/http/operation.ts';
import type { JsonSchema, SchemaComponents } from './json-schema.ts';

interface ParameterNotes {
  readonly description?: string;
  readonly 'x-assumption'?: string;
}

export interface ParameterDocs extends ParameterNotes {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export function parametersOf(operation: Operation, components: SchemaComponents): readonly ParameterDocs[] {
  const { path, params, ownQuery, query = ownQuery } = operation;
  const { properties: declared = {} } = params ? components.input(params) : {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterDocs => {
    const { description = 'The last part of the URI of the resource.', ...schema } = declared[name] ?? {
      type: 'string',
    };
    return { name, in: 'path', required: true, description, schema };
  });
  const { properties = {}, required = [] } = query ? components.input(query) : {};
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]): ParameterDocs => {
    const shared = (path.endsWith('/contacts') ? contactNotes[name] : undefined) ?? sharedNotes[name];
    // A description beside the schema is more exact than the shared one.
    const notes = description === undefined ? shared : { description };
    return { name, in: 'query', required: required.includes(name), ...notes, schema };
  });
  return [...inPath, ...inQuery];
}

const matching = {
  exact: 'Exact match; comma-separated list.',
  partial: 'Partial match; comma-separated, each segment matched independently.',
} as const;

const contactNotes: Readonly<Record<string, ParameterNotes>> = {
  ...Object.fromEntries(
    Object.entries(contactFilters).map(([name, kind]) => [
      name,
      { description: matching[kind], 'x-assumption': 'A17' },
    ]),
  ),
  sort: {
    description:
      'Comma-separated list of `<field>:<direction>`; fields `created_at`, `updated_at`; directions `asc`, `desc`.',
  },
};

const sharedNotes: Readonly<Record<string, ParameterNotes>> = {
  count: { description: 'The number of rows to return.', 'x-assumption': 'A6a' },
  page_token: {
    description:
      'The token for the next or previous portion of the collection. It carries the filters and the order of its list.',
    'x-assumption': 'A13',
  },
  sort: { description: '`<field>:<direction>`.', 'x-assumption': 'A6e' },
  exclude: { description: 'Fields to omit; when absent all fields are returned.' },
  organization: { description: 'URI of the organization whose data is requested.' },
  user: { description: 'URI of the user whose data is requested.' },
  group: { description: 'URI of the group whose data is requested.' },
  min_start_time: { description: 'Starts at this time or later.', 'x-assumption': 'A6e' },
  max_start_time: { description: 'Starts at this time or earlier.', 'x-assumption': 'A6e' },
  status: { description: 'In this state.' },
  email: { description: 'With this e-mail address.' },
  invitee_email: { description: 'With an invitee of this e-mail address.' },
  no_show: { description: 'Marked as a no-show, or not.' },
  event: { description: 'URI of the scheduled event it belongs to.' },
  event_type: { description: 'URI of the event type it belongs to.' },
  start_time: { description: 'The first instant of the range.' },
  end_time: { description: 'The last instant of the range; at most 31 days after the first.' },
};
