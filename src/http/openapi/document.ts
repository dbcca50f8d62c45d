// Makes an OpenAPI 3.1 document from the operations themselves: what is published is what is checked.
import { z } from 'zod';
import { errorBody } from '#schemas/errors.ts';
import { answerSchema, statusOf, type Operation } from '#src/http/operation.ts';
import { schemaNames } from './component-names.ts';
import { createSchemaComponents, type JsonSchema, type SchemaComponents } from './json-schema.ts';
import { parametersOf, type ParameterDocs } from './parameters.ts';

export interface ResponseDocs {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;
  readonly 'x-assumption'?: string;
}

export interface OperationDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ParameterDocs[];
  readonly requestBody?: BodyDocs;
  readonly responses: Readonly<Record<string, ResponseDocs>>;
  readonly 'x-assumption'?: string;
}

interface BodyDocs {
  readonly required: boolean;
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
}

export type PathDocs = Readonly<Record<string, OperationDocs>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathDocs>>;
  readonly webhooks?: Readonly<Record<string, PathDocs>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, object>>;
}

/** What an application says about an operation besides its declaration. */
export interface OperationNotes {
  readonly tag: string;
  readonly security: OperationDocs['security'];
  readonly errors: OperationDocs['responses'];
  readonly headers?: object;
  readonly optionalBody?: true;
}

export interface DocumentPlan<Op extends Operation> {
  readonly info: OpenApiDocument['info'];
  readonly server: string;
  readonly operations: readonly Op[];
  notesOn(operation: Op): OperationNotes;
  readonly tagDescriptions?: Readonly<Record<string, string>>;
  /** Everything under `components` besides the schemas. */
  readonly components: Readonly<Record<string, object>>;
  /** Names of schemas within those of operations. */
  readonly named?: Readonly<Record<string, z.ZodType>>;
  /** Schemas that only `components` refer to. */
  readonly alsoUsed?: readonly z.ZodType[];
  webhooks?(components: SchemaComponents): Readonly<Record<string, PathDocs>>;
}

export function createDocument<Op extends Operation>(plan: DocumentPlan<Op>): OpenApiDocument {
  const { info, server, operations, tagDescriptions = {} } = plan;
  const schemas = createSchemaComponents();
  for (const [id, schema] of Object.entries({ ...schemaNames, ...plan.named })) schemas.name(id, schema);
  for (const operation of operations) nameOwnSchemas(operation, schemas);
  const documented = operations.map((operation) => ({
    path: operation.path,
    method: operation.method.toLowerCase(),
    docs: operationDocs(operation, plan.notesOn(operation), schemas),
  }));
  const paths = Object.fromEntries(
    [...Map.groupBy(documented, ({ path }) => path)].map(([path, alike]) => [
      path,
      Object.fromEntries(alike.map(({ method, docs }) => [method, docs])),
    ]),
  );
  const webhooks = plan.webhooks?.(schemas);
  for (const schema of [errorBody, ...(plan.alsoUsed ?? [])]) schemas.output(schema);
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: server }],
    tags: [...new Set(documented.flatMap(({ docs }) => docs.tags))].map((name) => ({
      name,
      ...(tagDescriptions[name] !== undefined && { description: tagDescriptions[name] }),
    })),
    paths,
    ...(webhooks && { webhooks }),
    components: { schemas: schemas.used, ...plan.components },
  };
}

/** Names a record that has a name of its own (`.meta({ id })`), and every request body. */
function nameOwnSchemas(operation: Operation, schemas: SchemaComponents): void {
  const { id, body } = operation;
  const record = 'schema' in operation ? operation.schema : undefined;
  const name = record && z.globalRegistry.get(record)?.id;
  if (record && name !== undefined) schemas.name(name, record);
  if (body) schemas.name(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, body);
}

function operationDocs(operation: Operation, notes: OperationNotes, schemas: SchemaComponents): OperationDocs {
  const { id, summary, description, body } = operation;
  const parameters = parametersOf(operation, schemas);
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [notes.tag],
    security: notes.security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { ...jsonBody(schemas.input(body)), required: !notes.optionalBody } }),
    responses: {
      [statusOf(operation)]: {
        description: answerDescriptions[operation.answers],
        ...(notes.headers && { headers: notes.headers }),
        ...contentOf(operation, schemas),
      },
      ...notes.errors,
    },
  };
}

const answerDescriptions = {
  resource: 'The resource.',
  collection: 'One page of the collection.',
  object: 'The answer.',
  nothing: 'Done; the answer has no body.',
  text: 'Text.',
  stream: 'Continues until either side closes it.',
} as const satisfies Record<Operation['answers'], string>;

function contentOf(operation: Operation, schemas: SchemaComponents): Pick<ResponseDocs, 'content'> {
  if (operation.answers === 'nothing') return {};
  if (operation.answers === 'text' || operation.answers === 'stream')
    return { content: { [operation.contentType]: { schema: { type: 'string' } } } };
  const schema = answerSchema(operation);
  const others = operation.answers === 'object' ? (operation.alternatives ?? []) : [];
  return {
    content: {
      'application/json': { schema: schema ? schemas.output(schema) : { type: 'object' } },
      ...Object.fromEntries(others.map((other) => [other.contentType, { schema: schemas.output(other.schema) }])),
    },
  };
}

export const jsonBody = (schema: JsonSchema): BodyDocs => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** Responses that all operations share, by status: `{400: 'BadRequest'}`. */
export const sharedResponses = (names: Readonly<Record<number, string>>): OperationDocs['responses'] =>
  Object.fromEntries(
    Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
