// Serves operations over HTTP. The order of the steps is the order of the errors: admission (authentication, limits,
// permission), query, page token, path, body, and then the rules of the operation itself.
import type { Context as HonoContext, Env, Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { limits } from '#schemas/limits.ts';
import { isObject } from '#schemas/wire.ts';
import { paginationOf, type Cursors } from './cursor.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { HttpError, serverError, titledError } from './http-error.ts';
import { statusOf, type Call, type Operation, type PathParams } from './operation.ts';
import type { Listing } from './pagination.ts';
import { filtersOf, parseInput, readCursor, readJson, readQuery, type RawQuery } from './request.ts';

/** What differs between the applications that serve operations. */
export interface Application<Context, Op extends Operation<Context>> {
  /** Needed by operations that answer with a collection. */
  readonly cursors?: Cursors;
  /** Everything that is decided before the request is read; throws an `HttpError`. The result becomes part of the call. */
  admit(operation: Op, http: HonoContext): Context | Promise<Context>;
  /** Where another process answers this operation: its response. */
  answeredElsewhere?(operation: Op, http: HonoContext): Promise<Response> | undefined;
  /** By default a body has to be JSON and to be declared as JSON. */
  readBody?(http: HonoContext, operation: Op): Promise<unknown>;
  /** By default a name that is given twice is refused. */
  readQuery?(http: HonoContext, operation: Op): RawQuery;
  /** The origin of links to other pages; by default that of the request. */
  readonly baseUrl?: string;
  /** Answers 405 where a path has other methods. */
  readonly methodErrors?: true;
  /** The error as this application words it. */
  errorOf?(error: HttpError, operation: Op): HttpError;
  /** The operation as it is served now. */
  current?(operation: Op): Op;
  onAnswer?(operation: Op, status: number, body: unknown): void;
  /** Is called with a valid request before its operation runs, which it prevents by failing. The result is called when it has run. */
  begin?(
    operation: Op,
    call: Call<Context, unknown, unknown, unknown>,
  ): Promise<((status: number, body?: unknown) => Promise<void>) | undefined>;
}

export interface OperationInput<Context> {
  readonly context: Context;
  /** Its path with the values of its placeholders, and of links to other pages. */
  readonly url: URL;
  readonly query: RawQuery;
  readonly params: PathParams;
  readonly request: Request;
  readBody(): unknown;
}

export function addOperations<Context, Op extends Operation<Context>, E extends Env>(
  app: Hono<E>,
  application: Application<Context, Op>,
  operations: readonly Op[],
): void {
  // `/contacts/custom_field_definitions` goes before `/contacts/{uuid}`: fewer placeholders first.
  const inOrder = operations.toSorted((a, b) => placeholdersIn(a) - placeholdersIn(b));
  for (const operation of inOrder)
    app.on(operation.method, routeOf(operation), (http) =>
      answer(application, application.current?.(operation) ?? operation, http),
    );
  if (application.methodErrors)
    for (const [route, alike] of Map.groupBy(inOrder, routeOf))
      app.all(route, (http) =>
        methodNotAllowed(
          http,
          alike.map(({ method }) => method),
        ),
      );
}

export const routeOf = ({ path }: Pick<Operation, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
const placeholdersIn = ({ path }: Operation): number => path.split('{').length;

export function methodNotAllowed(http: HonoContext, methods: readonly string[]): Response {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  return http.json(titledError(405, `This path takes ${allowed}.`).body, 405, { allow: allowed });
}

async function answer<Context, Op extends Operation<Context>>(
  application: Application<Context, Op>,
  operation: Op,
  http: HonoContext,
): Promise<Response> {
  try {
    const context = await application.admit(operation, http);
    const elsewhere = application.answeredElsewhere?.(operation, http);
    if (elsewhere !== undefined) return await elsewhere;
    const { req } = http;
    const { readBody = readJsonBody, readQuery: readSent = readPlainQuery } = application;
    const body = await runOperation(application, operation, {
      context,
      url: urlOf(application, http),
      query: operation.ownQuery ? {} : readSent(http, operation),
      params: req.param(),
      request: req.raw,
      readBody: () => readBody(http, operation),
    });
    application.onAnswer?.(operation, statusOf(operation), body);
    if (body instanceof Response) return body;
    const status = statusOf(operation);
    return body === undefined ? http.body(null, 204) : http.json(body, status === 204 ? 200 : status);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const sent = application.errorOf?.(error, operation) ?? error;
    application.onAnswer?.(operation, sent.status, sent.body);
    throw sent;
  }
}

/** Checks the input, runs the operation, and returns its answer. */
export async function runOperation<Context, Op extends Operation<Context>>(
  { cursors, begin }: Pick<Application<Context, Op>, 'cursors' | 'begin'>,
  operation: Op,
  input: OperationInput<Context>,
): Promise<object | undefined> {
  const { url, query: sent } = input;
  const path = url.pathname;
  const cursor =
    operation.answers === 'collection' ? readCursor(sent, (token) => cursors?.read(path, token)) : undefined;
  const filters = cursor?.filters ?? filtersOf(sent);
  const query = operation.query && parseInput(operation.query, { ...sent, ...filters });
  const call: Call<Context, unknown, unknown, unknown> = {
    ...input.context,
    params: operation.params ? parseInput(operation.params, input.params) : input.params,
    query,
    body: operation.body && parseInput(operation.body, await input.readBody()),
    url,
    request: input.request,
    pageIn: (sort = '') => ({
      count: countIn(query),
      descending: sort.endsWith(':desc'),
      backwards: false,
      ...cursor?.position,
    }),
  };
  const end = await begin?.(operation, call);
  try {
    const body = await answerTo(operation, call, (listing) => {
      if (cursors === undefined) throw new TypeError(`${operation.id} needs cursors.`);
      return paginationOf(listing, { cursors, list: { path, filters }, url });
    });
    await end?.(statusOf(operation), body);
    return body;
  } catch (error) {
    await end?.(error instanceof HttpError ? error.status : 500);
    throw error;
  }
}

async function answerTo<Context>(
  operation: Operation<Context>,
  call: Call<Context, unknown, unknown, unknown>,
  pagination: (listing: Listing) => object,
): Promise<object | undefined> {
  switch (operation.answers) {
    case 'resource':
      return { resource: await operation.run(call) };
    case 'collection': {
      const listing = await operation.run(call);
      return { collection: listing.records, pagination: pagination(listing), ...listing.fields };
    }
    case 'object':
    case 'text':
      return operation.run(call);
    case 'stream':
      // The response to HEAD has no body, so the stream is not opened.
      if (call.request.method === 'HEAD')
        return new Response(null, { headers: { 'content-type': operation.contentType } });
      return operation.run(call);
    case 'nothing':
      await operation.run(call);
      return undefined;
  }
}

const readJsonBody = (http: HonoContext): Promise<unknown> => readJson(http.req.raw);
const readPlainQuery = ({ req }: HonoContext): RawQuery => readQuery(req);

const countIn = (query: unknown): number =>
  isObject(query) && typeof query['count'] === 'number' ? query['count'] : limits.pageSize.default;

/** The caller may know this machine by another name than the base of all URIs. */
function urlOf({ baseUrl }: { readonly baseUrl?: string }, http: HonoContext): URL {
  const { origin, pathname, search } = new URL(http.req.url);
  return new URL(pathname + search, baseUrl ?? origin);
}

export interface ErrorOptions {
  readonly noSuchPath: HttpError | ((request: Pick<Request, 'method' | 'url'>) => HttpError);
  /** The error for a failure that is no `HttpError` and does not end by itself. */
  readonly failure?: HttpError;
  report(error: unknown): void;
}

export function handleErrors<E extends Env>(app: Hono<E>, options: ErrorOptions): void {
  app.onError((error, http) => {
    const { status, body, retryAfterSeconds } = httpErrorOf(error, options);
    if (status === 401) http.header('WWW-Authenticate', 'Bearer');
    if (retryAfterSeconds !== undefined) http.header('Retry-After', String(retryAfterSeconds));
    return http.json(body, status);
  });
  app.notFound(({ req }) => {
    const { noSuchPath } = options;
    throw typeof noSuchPath === 'function' ? noSuchPath(req) : noSuchPath;
  });
}

/** The error that is answered; what is not the caller's is reported. */
export function httpErrorOf(error: unknown, options: Pick<ErrorOptions, 'failure' | 'report'>): HttpError {
  if (error instanceof HttpError) return error;
  const limited = error instanceof SlotstreamError ? limitReached(error) : undefined;
  if (limited !== undefined) return limited;
  options.report(error);
  return isTransient(error) ? unavailable(error) : (options.failure ?? serverError());
}

/** After this time, a turn may be free. */
const retryAfterSeconds = 5;

/** A question that took too long, or did not get its turn: of no interest to anyone but its caller. */
function limitReached({ code, message, hint = '' }: SlotstreamError): HttpError | undefined {
  // A status that programs do not repeat by themselves: the same question takes as long again.
  if (code === 'question_slow')
    return new HttpError(400, { title: 'Question Too Slow', message: `${message} ${hint}` });
  return code === 'questions_wait' ? titledError(503, `${message} ${hint}`, retryAfterSeconds) : undefined;
}

/** The database or the queue does not answer. Only errors of our own have messages for others. */
function unavailable(error: unknown): HttpError {
  const own = error instanceof SlotstreamError ? [error.message, error.hint] : ['The database does not answer.'];
  return titledError(503, own.filter((text) => text !== undefined).join(' '));
}

const maxBodyBytes = 1_048_576;

export const limitBody = (tooLarge: (message: string) => HttpError): MiddlewareHandler =>
  bodyLimit({
    maxSize: maxBodyBytes,
    onError(http) {
      // The rest of the body is never read, so the connection cannot serve another request.
      http.header('connection', 'close');
      throw tooLarge(`The body is larger than ${maxBodyBytes} bytes.`);
    },
  });
