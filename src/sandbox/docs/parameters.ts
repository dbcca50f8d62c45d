// The parameters of an operation: the placeholders of its path, and each key of its query with what is known about it.
import type { z } from 'zod';
import { contactFilters } from '#schemas/contact-request.ts';
import type { Operation } from '../api/operation.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';

export interface ParameterDocs {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly 'x-assumption'?: string;
}

export function parametersOf(
  { path, query }: Pick<Operation, 'path' | 'query'>,
  book: SchemaBook,
): readonly ParameterDocs[] {
  const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterDocs => ({
    name,
    in: 'path',
    required: true,
    description: 'The last part of the URI of the resource.',
    schema: { type: 'string' },
  }));
  return query === undefined ? placeholders : [...placeholders, ...queryParameters(path, query, book)];
}

function queryParameters(path: string, query: z.ZodType, book: SchemaBook): readonly ParameterDocs[] {
  const { properties = {}, required = [] } = book.input(query) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const notes: ParameterNotes = (path === '/contacts' ? contactNotes[name] : undefined) ?? commonNotes[name] ?? {};
    return { name, in: 'query', required: required.includes(name), ...notes, schema };
  });
}

type ParameterNotes = Pick<ParameterDocs, 'description' | 'x-assumption'>;

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
  exclude: { description: 'Fields to omit; when absent all fields are returned.' },
};

const commonNotes: Readonly<Record<string, ParameterNotes>> = {
  count: { description: 'The number of rows to return.', 'x-assumption': 'A6a' },
  page_token: {
    description:
      'The token for the next or previous portion of the collection. It carries the filters and the order of its list.',
    'x-assumption': 'A13',
  },
  sort: { description: '`<field>:<direction>`.', 'x-assumption': 'A6e' },
  organization: { description: 'URI of the organization whose data is asked for.' },
  user: { description: 'URI of the user whose data is asked for.' },
  group: { description: 'URI of the group whose data is asked for.' },
  min_start_time: { description: 'What starts at this time or later.', 'x-assumption': 'A6e' },
  max_start_time: { description: 'What starts at this time or earlier.', 'x-assumption': 'A6e' },
  start_time: { description: 'The first instant asked for.' },
  end_time: { description: 'The last instant asked for; at most 31 days after the first.' },
};
