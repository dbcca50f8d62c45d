// What of an OpenAPI document is shown on its page: one entry an operation, one an event.
import type { OpenApiDocument, OperationDocs } from './document.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Shown } from './page-operation.ts';
import { refPrefix } from './page-schema.ts';

export interface Showing {
  /** The end of the server's address that belongs to every path: `/_sandbox`. */
  readonly prefix?: string;
  /** The shell variable that holds the caller's token. */
  readonly token?: string;
}

export function operationsShown(document: OpenApiDocument, { prefix = '', token = 'TOKEN' }: Showing = {}) {
  const server = (document.servers[0]?.url ?? '').slice(0, prefix === '' ? undefined : -prefix.length);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, docs]): Shown => ({
      method: method.toUpperCase(),
      path: prefix + path,
      docs,
      body: bodyOf(document, docs),
      server,
      token,
    })),
  );
}

export function eventsShown(document: OpenApiDocument): readonly Shown[] {
  return Object.entries(document.webhooks ?? {}).flatMap(([event, methods]) =>
    Object.values(methods).map((docs) => ({ method: 'EVENT', path: event, docs, body: bodyOf(document, docs) })),
  );
}

export const isTagged =
  (name: string) =>
  ({ docs }: Shown): boolean =>
    docs.tags.includes(name);

/** A named request is shown where it is sent, not only linked. */
function bodyOf({ components }: OpenApiDocument, { requestBody }: OperationDocs): JsonSchema | undefined {
  const schema = requestBody?.content['application/json'].schema;
  const ref = schema?.['$ref'];
  return typeof ref === 'string' ? components.schemas[ref.slice(refPrefix.length)] : schema;
}
