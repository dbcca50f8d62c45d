// Our zod schemas as the JSON Schema of OpenAPI 3.1: named parts become components, and what a transform reads is described
// as the text it reads.
import { z } from 'zod';
import { limits } from '#schemas/limits.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { timestamp, uri } from '#schemas/wire.ts';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The names under which schemas stand in the document; the first name given to a schema stays. */
export interface SchemaBook {
  name(id: string, schema: z.ZodType): void;
  /** What a caller may send. */
  input(schema: z.ZodType): JsonSchema;
  /** What is answered or delivered. */
  output(schema: z.ZodType): JsonSchema;
  /** Every named schema met so far. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

export function createSchemaBook(): SchemaBook {
  const names = z.registry<{ id: string }>();
  const components: Record<string, JsonSchema> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Wrapped, because a schema at the root is never written as a reference.
    const { $defs, properties } = z.toJSONSchema(z.object({ wrapped: schema }), {
      io,
      metadata: names,
      override: ({ zodSchema, jsonSchema }) => rewrite(zodSchema, jsonSchema),
    });
    for (const [id, definition] of Object.entries($defs ?? {})) components[id] ??= relocated(definition);
    return relocated(properties?.['wrapped'] ?? {});
  }

  return {
    name(id, schema) {
      if (!names.has(schema)) names.add(schema, { id });
    },
    input: (schema) => convert(schema, 'input'),
    output: (schema) => convert(schema, 'output'),
    get components() {
      return Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

const relocated = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;

type Draft = Record<string, unknown>;

/** What a transform or a pattern of ours means, in words other tools know. */
const known = new Map<unknown, JsonSchema>([
  [uri, { type: 'string', format: 'uri', maxLength: 1024 }],
  [timestamp, { type: 'string', format: 'date-time' }],
  [
    pageQuery.shape.count,
    { type: 'integer', minimum: 1, maximum: limits.pageSize.max, default: limits.pageSize.default },
  ],
]);

function rewrite(zodSchema: unknown, draft: Draft): void {
  const replacement = known.get(zodSchema);
  if (replacement !== undefined) {
    for (const keyword of Object.keys(draft)) delete draft[keyword];
    for (const [keyword, value] of Object.entries(replacement)) draft[keyword] = value;
  }
  const { description } = z.globalRegistry.get(zodSchema as z.ZodType) ?? {};
  if (description !== undefined) draft['description'] = description;
  // The format says it; the pattern behind it is long and says it worse.
  if (typeof draft['format'] === 'string') delete draft['pattern'];
  if (Math.abs(Number(draft['minimum'])) === Number.MAX_SAFE_INTEGER) delete draft['minimum'];
  if (draft['maximum'] === Number.MAX_SAFE_INTEGER) delete draft['maximum'];
}
