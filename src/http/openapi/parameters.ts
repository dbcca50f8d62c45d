// The parameters of an operation: the placeholders of its path, and each key of its query with what is known about it.
import type { z } from 'zod';
import type { JsonSchema, SchemaBook } from './json-schema.ts';
import { commonNotes, contactNotes, type ParameterNotes } from './parameter-notes.ts';

export interface ParameterDocs extends ParameterNotes {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface AskedBy {
  readonly path: string;
  readonly query?: z.ZodType;
  /** What stands in a placeholder, where it is not the last part of a URI. */
  readonly placeholders?: Readonly<Record<string, string>>;
}

export function parametersOf({ path, query, placeholders = {} }: AskedBy, book: SchemaBook): readonly ParameterDocs[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterDocs => ({
    name,
    in: 'path',
    required: true,
    description: placeholders[name] ?? 'The last part of the URI of the resource.',
    schema: { type: 'string' },
  }));
  return query === undefined ? inPath : [...inPath, ...queryParameters(path, query, book)];
}

function queryParameters(path: string, query: z.ZodType, book: SchemaBook): readonly ParameterDocs[] {
  const { properties = {}, required = [] } = book.input(query) as {
    readonly properties?: Readonly<Record<string, JsonSchema & { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const notes = (path.endsWith('/contacts') ? contactNotes[name] : undefined) ?? commonNotes[name];
    // What stands beside the schema itself is nearer to the truth than what is usual.
    const said = description === undefined ? notes : { description };
    return { name, in: 'query', required: required.includes(name), ...said, schema };
  });
}
