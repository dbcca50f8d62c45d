// Writes zod schemas as the JSON Schema of OpenAPI 3.1. Named schemas become components, and a transform is described by
// the text it accepts.
import { z } from 'zod';
import { limits } from '#schemas/limits.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { timestamp, uri } from '#schemas/wire.ts';

/** The keywords that our code reads, among any others. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

export interface SchemaComponents {
  /** Names a schema in the document; the first name of a schema wins. */
  name(id: string, schema: z.ZodType): void;
  /** What a caller may send. */
  input(schema: z.ZodType): JsonSchema;
  /** What is answered or delivered. */
  output(schema: z.ZodType): JsonSchema;
  readonly used: Readonly<Record<string, JsonSchema>>;
}

export const componentPrefix = '#/components/schemas/';

export function createSchemaComponents(): SchemaComponents {
  const names = z.registry<{ id: string }>();
  const used: Record<string, JsonSchema> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Wrapped, because zod never writes the root schema as a reference.
    const { $defs, properties } = z.toJSONSchema(z.object({ wrapped: schema }), {
      io,
      metadata: names,
      override: ({ zodSchema, jsonSchema }) => rewrite(zodSchema, jsonSchema),
    });
    for (const [id, definition] of Object.entries($defs ?? {})) used[id] ??= asComponents(definition);
    return asComponents(properties?.['wrapped'] ?? {});
  }

  return {
    name(id, schema) {
      if (!names.has(schema)) names.add(schema, { id });
    },
    input: (schema) => convert(schema, 'input'),
    output: (schema) => convert(schema, 'output'),
    get used() {
      return Object.fromEntries(Object.entries(used).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

function asComponents(schema: unknown): JsonSchema {
  const moved: JsonSchema = JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${componentPrefix}`));
  return moved;
}

/** The meaning of our transforms and patterns, in keywords that other tools understand. */
const replacements = new Map<unknown, JsonSchema>([
  [uri, { type: 'string', format: 'uri', maxLength: 1024 }],
  [timestamp, { type: 'string', format: 'date-time' }],
  [
    pageQuery.shape.count,
    { type: 'integer', minimum: 1, maximum: limits.pageSize.max, default: limits.pageSize.default },
  ],
]);

function rewrite(zodSchema: z.core.$ZodType, draft: Record<string, unknown>): void {
  const replacement = replacements.get(zodSchema);
  if (replacement !== undefined) {
    for (const keyword of Object.keys(draft)) delete draft[keyword];
    for (const [keyword, value] of Object.entries(replacement)) draft[keyword] = value;
  }
  const { description } = z.globalRegistry.get(zodSchema) ?? {};
  if (description !== undefined) draft['description'] = description;
  // The format is shorter and clearer than the pattern behind it.
  if (typeof draft['format'] === 'string') delete draft['pattern'];
  if (Math.abs(Number(draft['minimum'])) === Number.MAX_SAFE_INTEGER) delete draft['minimum'];
  if (draft['maximum'] === Number.MAX_SAFE_INTEGER) delete draft['maximum'];
}
