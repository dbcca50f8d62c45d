// The operations of the API, and the application that serves them. It is loaded by the first request:
// most processes never get one.
import { Hono, type Context } from 'hono';
import { routePath } from 'hono/route';
import { createCursors } from '#src/http/cursor.ts';
import { titledError } from '#src/http/http-error.ts';
import {
  addOperations,
  handleErrors,
  httpErrorOf,
  limitBody,
  routeOf,
  runOperation,
  type Application,
} from '#src/http/router.ts';
import { alertOperations } from './alerts.ts';
import type { OperationArguments } from './ask.ts';
import type { ApiContext, ApiOperation } from './api-operation.ts';
import { createAudit } from './audit.ts';
import type { Caller } from '#src/api/auth/browser.ts';
import { dismissOperations } from './deliveries/dismiss.ts';
import { replayDeliveries } from './deliveries/bulk-replay.ts';
import { answerBooking } from './bookings/answers.ts';
import { contactOperations } from './contacts.ts';
import { getDelivery, listDeliveries, listQuarantine } from './deliveries/deliveries.ts';
import { replayDelivery } from './deliveries/replay-delivery.ts';
import { feedConsumerOperations } from './feed-consumers.ts';
import { feedOperations } from './feed.ts';
import { conventions, questionOperations } from './questions.ts';
import { noSuchPath, refuseWrites } from './service/ask-the-service.ts';
import { getMirrorHealth } from './overview/overview.ts';
import type { ReadRequest } from '#src/store/reading/sqlite-readers.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { whyOperations } from './why.ts';

const operations: readonly ApiOperation[] = [
  getMirrorHealth,
  ...questionOperations,
  ...feedOperations,
  ...feedConsumerOperations,
  ...contactOperations,
  answerBooking,
  ...whyOperations,
  listDeliveries,
  getDelivery,
  replayDelivery,
  listQuarantine,
  replayDeliveries,
  ...dismissOperations,
  ...subscriptionOperations,
  ...alertOperations,
];

/** Of calls within the process, which have no headers and are not aborted. */
const inProcess = new Request('http://localhost/');

/** Who calls, for the record of actions. */
type ReadEnv = { Bindings: { caller?: Caller } };

export interface ReadApiNeeds extends Omit<ApiContext, 'streams' | 'replaying' | 'cursors' | 'caller'> {
  /** Signs page tokens. */
  readonly secret: string;
  /** Is called with the id of every audited operation that was done. */
  acted?(operation: string): void;
  /** Is called after every request over HTTP, with the template of its path. */
  answered?(method: string, route: string, status: number): void;
}

export function createReadApi({ secret, acted, answered, ...needs }: ReadApiNeeds) {
  const cursors = createCursors(secret, { nowMs: () => needs.clock() });
  const context: ApiContext = { ...needs, cursors, streams: new Map(), replaying: { isRunning: false } };
  const audit = createAudit(context, operations);
  const app = new Hono<ReadEnv>();
  handleErrors(app, {
    noSuchPath,
    report: needs.report,
  });
  app.use(async (http, next) => {
    await next();
    answered?.(http.req.method, routePath(http, -1), http.res.status);
  });
  app.use(limitBody((message) => titledError(413, message)));
  const questions: ReadonlySet<ApiOperation> = new Set(questionOperations);
  const { respond } = needs.reading;
  const application: Application<ApiContext, ApiOperation> = {
    ...conventions,
    cursors,
    admit: (_operation, http: Context<ReadEnv>) => ({ ...context, caller: http.env?.caller }),
    answeredElsewhere: (operation, { req, env }: Context<ReadEnv>) =>
      respond && questions.has(operation)
        ? responseOf(respond, { url: req.url, accept: req.header('accept') ?? null, who: env?.caller?.who, secret })
        : undefined,
    async begin(operation, call) {
      const { audited = false } = operation;
      if (!(typeof audited === 'function' ? audited(call.body) : audited)) return undefined;
      const end = await audit.begin(operation, call.caller, call);
      return async (status, body) => {
        if (status < 400) acted?.(operation.id);
        await end(status, body);
      };
    },
  };
  refuseWrites(
    app,
    operations.flatMap(({ conventions: kind, path }) => (kind === 'service' ? [routeOf({ path })] : [])),
  );
  addOperations(app, application, operations);

  async function responseOf(ask: NonNullable<typeof respond>, request: ReadRequest): Promise<Response> {
    const { status, headers, body, failures } = await ask(request);
    for (const failure of failures) needs.report(failure);
    return new Response(body, { status, headers: { ...headers } });
  }

  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return {
    operations,
    context,
    /** Runs an operation without HTTP, in the name of this caller. Throws an `HttpError`. */
    async run(
      id: string,
      { params = {}, query = {}, search, body }: OperationArguments,
      caller?: Caller,
    ): Promise<unknown> {
      const operation = byId.get(id);
      if (operation === undefined) throw new TypeError(`There is no operation ${id}.`);
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const url = new URL(path, inProcess.url);
      if (operation.ownQuery) url.search = String(search ?? new URLSearchParams(query));
      const call = {
        context: { ...context, caller },
        url,
        query,
        params,
        request: inProcess,
        readBody: () => body,
      };
      return runOperation(application, operation, call).catch((error: unknown) => {
        throw conventions.errorOf(httpErrorOf(error, needs), operation);
      });
    },
    fetch: (request: Request, caller?: Caller) => app.fetch(request, caller && { caller }),
    refused: audit.refused,
    record: audit.begin,
    request: app.request,
  };
}
