// The operations that are answered by reading rows alone: tables and views, and the service's own. With SQLite a process that only reads
// answers them whole; otherwise they run in the process that was asked.
import { Hono, type Context } from 'hono';
import { createCursors } from '#src/http/cursor.ts';
import { titledError, withPublicTitle, withStatusTitle } from '#src/http/http-error.ts';
import { readKnownQuery, readQuery } from '#src/http/request.ts';
import { addOperations, handleErrors, type Application } from '#src/http/router.ts';
import type { Readable } from '#src/store/contract.ts';
import type { ReadRequest, ReadResponse } from '#src/store/reading/sqlite-readers.ts';
import type { ApiOperation, QuestionContext } from './api-operation.ts';
import { serviceOperations } from './service/operations.ts';
import { tableOperations } from './tables/tables.ts';

export const questionOperations = [...tableOperations, ...serviceOperations] as const;

/** How every operation of the API reads its query and words its errors. */
export const conventions = {
  methodErrors: true,
  readQuery: ({ req }, { conventions: kind, query }) =>
    kind === 'service' ? readKnownQuery(req, query) : readQuery(req),
  errorOf: (error, { conventions: kind }) => (kind === 'service' ? withPublicTitle(error) : withStatusTitle(error)),
} satisfies Partial<Application<never, ApiOperation>>;

type QuestionEnv = { Bindings: Pick<QuestionContext, 'caller'> };

/** What a process that only reads has of the API. */
function open(store: Readable, secret: string) {
  const failures: unknown[] = [];
  const report = (error: unknown) => void failures.push(error);
  const cursors = createCursors(secret, { nowMs: () => Date.now() });
  const app = new Hono<QuestionEnv>();
  // Its other paths are answered where they are asked.
  handleErrors(app, { noSuchPath: titledError(404, 'There is nothing at this path.'), report });
  const reading = { ...store, behindSeconds: async () => null };
  const application: Application<QuestionContext, ApiOperation> = {
    ...conventions,
    cursors,
    admit: (_operation, { env }: Context<QuestionEnv>) => ({ reading, cursors, caller: env.caller }),
  };
  addOperations(app, application, questionOperations);
  return { app, failures };
}

/** Answers one request after the other. */
export function createQuestions(store: Readable): (request: ReadRequest) => Promise<ReadResponse> {
  let opened: (ReturnType<typeof open> & { readonly secret: string }) | undefined;
  return async ({ url, accept, who, secret }) => {
    if (opened?.secret !== secret) opened = { ...open(store, secret), secret };
    const { app, failures } = opened;
    const request = new Request(url, { headers: accept === null ? {} : { accept } });
    const response = await app.fetch(request, { caller: who === undefined ? undefined : { who } });
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body, failures: failures.splice(0) };
  };
}
