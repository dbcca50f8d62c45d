// Webhook subscriptions: creating, listing and deleting them.
import { missingScopes } from '#schemas/api-scope.ts';
import { permissionMessages } from '#schemas/errors.ts';
import { contractOf } from '#schemas/events.ts';
import { subscriptionListQuery } from '#schemas/list-query.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import {
  subscriptionRequest,
  subscriptionRequestWithEventTypes,
  type SubscriptionRequest,
} from '#schemas/subscription.ts';
import { denied, lacksScopes } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import { found, type ServiceOptions, type StoredSubscription } from '#src/sandbox/world/service.ts';
import { createSubscription, deleteSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import {
  demandOrganization,
  demandUser,
  isAdministrator,
  isOnPlan,
  noAccess,
  noPermission,
  requestedUsers,
  visible,
  type CallContext,
} from './permissions.ts';
import { define, get, list, remove, type Caller, type ServiceContext } from './service-operation.ts';

const planMessage = permissionMessages['POST /webhook_subscriptions'].plan;
const subscriptions = { scopes: ['webhooks:write'], schema: webhookSubscriptionResource } as const;

/** The enum of the request is authoritative: `event_type.*` is accepted only if the sandbox is configured so (A6c). */
export const webhookSubscriptionOperations = (options: Pick<ServiceOptions, 'eventTypes'>) => [
  define({
    ...subscriptions,
    id: 'createWebhookSubscription',
    unavailable: 503,
    method: 'POST',
    path: '/webhook_subscriptions',
    summary: 'Have events of an organization, a user or a group delivered to a URL',
    permits(call) {
      if (!isOnPlan(call)) throw denied(planMessage);
    },
    // Read for every request: the option may change while the sandbox runs.
    get body() {
      return options.eventTypes ? subscriptionRequestWithEventTypes : subscriptionRequest;
    },
    answers: 'resource',
    status: 201,
    run(call) {
      const { service, caller, body } = call;
      demandScopes(caller, body);
      demandFeatures(caller, body);
      demandOrganization(call, body.organization);
      demandSubject(call, body);
      return subscriptionRecord(createSubscription(service, { ...body, creator: caller.user.uri }));
    },
  }),
  list('listWebhookSubscriptions', '/webhook_subscriptions', {
    ...subscriptions,
    summary: 'The subscriptions of an organization, a user or a group',
    query: subscriptionListQuery,
    run(call) {
      const { organization, scope, sort, ...query } = call.query;
      const user = scope === 'user' ? query.user : undefined;
      const group = scope === 'group' ? query.group : undefined;
      demandOrganization(call, organization);
      requestedUsers(call, { organization, user, group });
      const isListed = (one: StoredSubscription): boolean =>
        one.organization === organization &&
        one.scope === scope &&
        (user ?? one.user) === one.user &&
        (group ?? one.group) === one.group;
      return listing(call.service.state.subscriptions.page('created', call.pageIn(sort), isListed), subscriptionRecord);
    },
  }),
  get('getWebhookSubscription', '/webhook_subscriptions/{uuid}', {
    ...subscriptions,
    summary: 'One subscription',
    run: (call) => subscriptionRecord(demandSubscription(call)),
  }),
  remove('deleteWebhookSubscription', '/webhook_subscriptions/{uuid}', {
    scopes: subscriptions.scopes,
    summary: 'End a subscription; what waits for it is dropped',
    run: (call) => deleteSubscription(call.service, demandSubscription(call), call.caller.user.uri),
  }),
];

function demandScopes({ scopes }: Caller, { events }: SubscriptionRequest): void {
  const required = events.map((event) => contractOf(event).requiredCallerScope);
  const missing = missingScopes(scopes, required);
  if (missing.length > 0) throw lacksScopes(missing);
}

/** Contacts, routing forms and recaps are features of paid plans. */
function demandFeatures({ organization }: Caller, { events }: SubscriptionRequest): void {
  const isOnEveryPlan = (event: SubscriptionRequest['events'][number]) =>
    ['invitee', 'event-type'].includes(contractOf(event).family);
  if (!isPaid(organization) && !events.every(isOnEveryPlan)) throw denied(planMessage);
}

/** For an organization as its administrator, for a group also as its member, for a user only as that user. */
function demandSubject(asking: CallContext, { scope, user = '', group = '' }: SubscriptionRequest): void {
  const { service, caller } = asking;
  const users: string[] = [];
  if (scope === 'user') users.push(demandUser(asking, user, 'user').uri);
  if (scope === 'group') {
    const { organization, members } = found(service.state.groups.get(group), 'group', 'group');
    if (organization !== caller.organization.uri) throw denied(noAccess);
    users.push(...members);
  }
  const isAllowed = scope !== 'user' && isAdministrator(caller);
  if (!isAllowed && !users.includes(caller.user.uri)) throw denied(noPermission);
}

function demandSubscription({ service, caller, uri }: ServiceContext): StoredSubscription {
  const subscription = found(service.state.subscriptions.get(uri), 'subscription');
  return visible(caller, subscription, [subscription.creator ?? '']);
}
