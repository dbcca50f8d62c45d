// The operations as HTTP: read the request, run, put the answer into its envelope; every refusal has the service's own shape.
import { Hono, type Context } from 'hono';
import type { Cursors } from '#src/conventions/cursor.ts';
import { paginationOf } from '#src/conventions/pagination.ts';
import { readAs } from '#src/conventions/reading.ts';
import { Refusal, serverError } from '#src/conventions/refusal.ts';
import { cursorIn, filtersOf, jsonOf, queryOf } from '#src/conventions/request.ts';
import type { Call, Operation } from './operation.ts';

export interface RouterNeeds {
  readonly cursors: Cursors;
  /** Told of what no refusal explains. */
  report(error: unknown): void;
}

export function createRouter(needs: RouterNeeds, operations: readonly Operation[]): Hono {
  const app = new Hono();
  // `/api/contacts/export` before `/api/contacts/{uuid}`: fewer placeholders first.
  for (const operation of operations.toSorted((a, b) => placeholders(a) - placeholders(b)))
    app.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) =>
      answer(needs, operation, context),
    );
  app.onError((error, context) => {
    if (!(error instanceof Refusal)) needs.report(error);
    const { status, body } = error instanceof Refusal ? error : serverError(500);
    return context.json(body, status as 400);
  });
  return app;
}

const placeholders = ({ path }: Operation): number => path.split('{').length;

async function answer({ cursors }: RouterNeeds, operation: Operation, context: Context): Promise<Response> {
  const asked = queryOf(context.req);
  const { path } = context.req;
  const cursor = operation.answers === 'collection' ? cursorIn(asked, (token) => cursors.read(path, token)) : undefined;
  const filters = cursor?.filters ?? filtersOf(asked);
  const query = operation.query && readAs(operation.query, { ...asked, ...filters });
  const body = operation.body && readAs(operation.body, await jsonOf(context.req.raw));
  const call: Call = {
    params: context.req.param(),
    query,
    body,
    request: context.req.raw,
    pageIn(sort = '') {
      const { count } = query as { count: number };
      return { count, descending: sort.endsWith(':desc'), backwards: false, ...cursor?.place };
    },
  };
  switch (operation.answers) {
    case 'resource':
      return context.json({ resource: await operation.run(call) });
    case 'collection': {
      const listing = await operation.run(call);
      const pagination = paginationOf(listing, { cursors, list: { path, filters }, url: new URL(context.req.url) });
      return context.json({ collection: listing.records, pagination });
    }
    case 'object': {
      const made = await operation.run(call);
      return made instanceof Response ? made : context.json(made);
    }
    case 'nothing':
      await operation.run(call);
      return context.body(null, 204);
    case 'stream':
      return operation.run(call);
  }
}
