// The operations as HTTP: read the request, run, put the answer into its envelope; every refusal has the
// service's own shape, and its words where the operation follows the service.
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { paginationOf, type Cursors } from '#src/http/cursor.ts';
import { withStatusTitle, titledError, HttpError, serverError } from '#src/http/http-error.ts';
import { parseInput, readCursor, filtersOf, readJson, readQuery } from '#src/http/request.ts';
import type { Call, Operation } from './operation.ts';
import { wrongMethod } from './wrong-method.ts';

export interface RouterNeeds {
  readonly cursors: Cursors;
  /** Told of what no refusal explains. */
  report(error: unknown): void;
  /** Told which audited operation was done. */
  acted?(operation: string): void;
}

export function createRouter(needs: RouterNeeds, operations: readonly Operation[]): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: mostBodyBytes, onError: tooLarge }));
  // `/api/contacts/custom_field_definitions` before `/api/contacts/{uuid}`: fewer placeholders first.
  const inOrder = operations.toSorted((a, b) => placeholders(a) - placeholders(b));
  for (const operation of inOrder)
    app.on(operation.method, routeOf(operation), async (context) => {
      const answered = await answer(needs, operation, context).catch((error: unknown) => {
        throw error instanceof HttpError && operation.conventions !== 'service' ? withStatusTitle(error) : error;
      });
      if (operation.audited) needs.acted?.(operation.id);
      return answered;
    });
  // Behind all of them: whoever comes so far has named a path that is there, and asked for something else of it.
  for (const [path, alike] of Map.groupBy(inOrder, routeOf))
    app.all(path, (context) =>
      wrongMethod(
        context,
        alike.map(({ method }) => method),
      ),
    );
  app.notFound((context) => refuse(context, titledError(404, 'There is nothing at this path.')));
  app.onError((error, context) => {
    if (!(error instanceof HttpError)) needs.report(error);
    return refuse(context, error instanceof HttpError ? error : serverError(500));
  });
  return app;
}

const mostBodyBytes = 1_048_576;

const tooLarge = (context: Context): Response => {
  // The rest of the body is never read, so the connection cannot serve another call.
  context.header('connection', 'close');
  return refuse(context, titledError(413, `The body is larger than ${mostBodyBytes} bytes.`));
};

const refuse = (context: Context, { status, body }: HttpError): Response => context.json(body, status as 400);

const routeOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
const placeholders = ({ path }: Operation): number => path.split('{').length;

async function answer({ cursors }: RouterNeeds, operation: Operation, context: Context): Promise<Response> {
  const asked = readQuery(context.req);
  const { path } = context.req;
  const cursor =
    operation.answers === 'collection' ? readCursor(asked, (token) => cursors.read(path, token)) : undefined;
  const filters = cursor?.filters ?? filtersOf(asked);
  const query = operation.query && parseInput(operation.query, { ...asked, ...filters });
  const body = operation.body && parseInput(operation.body, await readJson(context.req.raw));
  const call: Call = {
    params: context.req.param(),
    query,
    body,
    request: context.req.raw,
    pageIn(sort = '') {
      const { count } = query as { count: number };
      return { count, descending: sort.endsWith(':desc'), backwards: false, ...cursor?.position };
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
      // Nobody would read what begins here, so it does not begin.
      if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': operation.contentType });
      return operation.run(call);
  }
}
