// An OpenAPI 3.1 document as values: the parts that every document of ours has.
import type { JsonSchema } from './json-schema.ts';
import type { ParameterDocs } from './parameters.ts';

export interface OperationDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ParameterDocs | object)[];
  readonly requestBody?: BodyDocs;
  readonly responses: Readonly<Record<string, object>>;
}

export interface BodyDocs {
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

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly docs: OperationDocs;
}

export function pathsOf(all: readonly Documented[]): OpenApiDocument['paths'] {
  const byPath = Map.groupBy(all, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, ofPath]) => [
      path,
      Object.fromEntries(ofPath.map(({ method, docs }) => [method.toLowerCase(), docs])),
    ]),
  );
}

export const jsonBody = (schema: JsonSchema): BodyDocs => ({
  required: true,
  content: { 'application/json': { schema } },
});
