// Lists the operations of the service and serves them. A call is admitted in this order: token, rate limit, injected faults, scopes,
// permission. Each step has one error.
import { setTimeout as wait } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { missingScopes } from '#schemas/api-scope.ts';
import type { Cursors } from '#src/http/cursor.ts';
import { lacksScopes, notFound, serverError, tooManyRequests } from '#src/http/http-error.ts';
import { readJson, readQuery } from '#src/http/request.ts';
import { addOperations, type Application } from '#src/http/router.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { Service, ServiceOptions } from '#src/sandbox/world/service.ts';
import type { RateState } from './rate-limit.ts';
import type { Caller, ServiceContext, ServiceOperation } from './service-operation.ts';
import { activityLogOperations } from './activity-log.ts';
import { answerFaults } from './answer-faults.ts';
import { availabilityOperations } from './availability.ts';
import { contactOperations } from './contacts.ts';
import { dataComplianceOperations } from './data-compliance.ts';
import { eventTypeOperations } from './event-types.ts';
import { meetingRecapOperations } from './meeting-recaps.ts';
import { pageTokenFaults } from './page-token-faults.ts';
import { inPublicForm, publicCaller, publicError } from './public-form.ts';
import { readPublicBody, readPublicQuery } from './public-request.ts';
import { groupOperations, organizationOperations, removalOperations, userOperations } from './organizations.ts';
import { routingFormOperations } from './routing-forms.ts';
import { schedulingLinkOperations } from './scheduling-links.ts';
import { cancellationOperations, scheduledEventOperations } from './scheduled-events.ts';
import { webhookSubscriptionOperations } from './webhook-subscriptions.ts';

type ServiceApplication = Application<ServiceContext, ServiceOperation>;

export interface ServiceAppNeeds {
  readonly service: Service;
  readonly cursors: Cursors;
  readonly faults: FaultInjector;
  /** The caller of this `Authorization` header; throws an error when there is none. */
  callerOf(authorization: string | undefined): Caller;
  countCall(caller: Caller, operation: ServiceOperation): RateState;
  /** Sees every answer before it is sent; the tests check them against their schemas. */
  readonly inspect?: NonNullable<ServiceApplication['onAnswer']>;
}

export function createServiceApp(needs: ServiceAppNeeds): Hono {
  const { service, cursors, faults, callerOf, countCall, inspect } = needs;
  const app = new Hono();
  const operations = [...specifiedOperations(service.options), ...publicOnlyOperations];
  const publicOperations = new Map(operations.map((operation) => [operation, inPublicForm(operation)]));
  const isPublic = (): boolean => service.options.as === 'public';
  const application: ServiceApplication = {
    cursors,
    get baseUrl() {
      return faults.current.next_page_origin ?? service.options.baseUrl;
    },
    async admit(operation, http) {
      if (operation.publicOnly && !isPublic()) throw notFound('No such path.');
      const known = callerOf(http.req.header('authorization'));
      const caller = isPublic() ? publicCaller(known) : known;
      enforce(countCall(caller, operation), http);
      enforce(await injectFaults(faults, operation), http);
      const missing = missingScopes(caller.scopes, operation.scopes);
      if (missing.length > 0) throw lacksScopes(missing);
      const context = { service, caller, uri: uriOf(service, operation, http) };
      operation.permits?.(context);
      return context;
    },
    current: (operation) => (isPublic() ? publicOperations.get(operation) : undefined) ?? operation,
    readQuery: (http, operation) => (isPublic() ? readPublicQuery(http, operation) : readQuery(http.req)),
    readBody: (http, operation) => (isPublic() ? readPublicBody(http, operation) : readJson(http.req.raw)),
    errorOf: (error) => (isPublic() ? publicError(error) : error),
    ...(inspect && { onAnswer: inspect }),
  };
  app.use(answerFaults(faults), pageTokenFaults(faults));
  addOperations(app, application, operations);
  return app;
}

function enforce(state: RateState | undefined, http: HonoContext): void {
  if (state === undefined) return;
  for (const [name, value] of Object.entries(state.headers)) http.header(name, value);
  if (state.retryInSeconds !== undefined) throw tooManyRequests(state.retryInSeconds);
}

/** The state of a limit that is used up, so a caller that reads the headers waits as long as the message says. */
const usedUp: RateState = { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' }, retryInSeconds: 1 };

/** Delays the answer, reports a used-up limit, or throws a server error, as the current faults say. */
async function injectFaults(faults: FaultInjector, operation: ServiceOperation): Promise<RateState | undefined> {
  const { latency_ms, rate_limit, status } = faults.current;
  // Unreferenced: a delayed answer must not keep a closed sandbox alive.
  if (latency_ms !== undefined) await wait(latency_ms, undefined, { ref: false });
  if (faults.occurs(rate_limit)) return usedUp;
  if (status !== undefined && (status > 1 || faults.occurs(status)))
    throw serverError(status > 1 ? status : operation.unavailable);
  return undefined;
}

function uriOf({ options }: Service, { path }: ServiceOperation, http: HonoContext): string {
  const named = path.slice(0, path.lastIndexOf('}') + 1);
  if (named === '') return '';
  return options.baseUrl + named.replaceAll(/\{(\w+)\}/g, (_, name: string) => http.req.param(name) ?? '');
}

const specifiedOperations = (options: Pick<ServiceOptions, 'eventTypes'>): readonly ServiceOperation[] => [
  ...userOperations,
  ...organizationOperations,
  ...contactOperations,
  ...meetingRecapOperations,
  ...routingFormOperations,
  ...groupOperations,
  ...scheduledEventOperations,
  ...eventTypeOperations,
  ...webhookSubscriptionOperations(options),
];

const publicOnlyOperations: readonly ServiceOperation[] = [
  ...cancellationOperations,
  ...schedulingLinkOperations,
  ...availabilityOperations,
  ...removalOperations,
  ...dataComplianceOperations,
  ...activityLogOperations,
].map((operation) => ({
  ...operation,
  publicOnly: true,
}));

export const operationsUnder = (options: Pick<ServiceOptions, 'as' | 'eventTypes'>): readonly ServiceOperation[] =>
  options.as === 'public'
    ? [...specifiedOperations(options).map(inPublicForm), ...publicOnlyOperations]
    : specifiedOperations(options);
