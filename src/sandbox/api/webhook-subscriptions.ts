// Webhook subscriptions: creating, listing and deleting them.
import { missingScopes } from '#schemas/api-scope.ts';
import { permissionMessages } from '#schemas/errors.ts';
import { contractOf } from '#schemas/events.ts';
import { subscriptionListQuery } from '#schemas/list-query.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { subscriptionRequest, subscriptionRequestWithEventTypes } from '#schemas/subscription.ts';
import type { SubscriptionRequest } from '#schemas/subscription.ts';
import { denied, lacksScopes, notFound } from '#src/http/http-error.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import type { State, StoredSubscription } from '#src/sandbox/world/state.ts';
import { createSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { listing } from '#src/http/pagination.ts';
import { demandOrganization, isAdministrator, noAccess, noPermission, requestedUsers } from './permissions.ts';
import { defineOperation, type Caller } from './service-operation.ts';

/** The enum of the request is authoritative: `event_type.*` is accepted only if the sandbox is configured so (A6c). */
export const webhookSubscriptionOperations = (options: Pick<ServiceOptions, 'eventTypes'>) => [
  defineOperation({
    id: 'createWebhookSubscription',
    unavailable: 503,
    method: 'POST',
    path: '/webhook_subscriptions',
    summary: 'Have events of an organization, a user or a group delivered to a URL',
    scopes: ['webhooks:write'],
    permits({ caller }) {
      if (!isPaid(caller.organization)) throw denied(permissionMessages['POST /webhook_subscriptions'].plan);
    },
    // Read for every request: the option may change while the sandbox runs.
    get body() {
      return options.eventTypes ? subscriptionRequestWithEventTypes : subscriptionRequest;
    },
    answers: 'resource',
    status: 201,
    schema: webhookSubscriptionResource,
    run({ service, caller, body }) {
      demandScopes(caller, body);
      demandOrganization(service.state, caller, body.organization);
      demandSubject(service.state, caller, body);
      return subscriptionRecord(createSubscription(service, { ...body, creator: caller.user.uri }));
    },
  }),
  defineOperation({
    id: 'listWebhookSubscriptions',
    method: 'GET',
    path: '/webhook_subscriptions',
    summary: 'The subscriptions of an organization, a user or a group',
    scopes: ['webhooks:write'],
    query: subscriptionListQuery,
    answers: 'collection',
    schema: webhookSubscriptionResource,
    run({ service: { state }, caller, query, pageIn }) {
      const { organization, scope, sort } = query;
      const user = scope === 'user' ? query.user : undefined;
      const group = scope === 'group' ? query.group : undefined;
      demandOrganization(state, caller, organization);
      requestedUsers(state, caller, { organization, user, group });
      const page = state.subscriptions.page('created', pageIn(sort), (one) => {
        if (one.organization !== organization || one.scope !== scope) return false;
        return (user ?? one.user) === one.user && (group ?? one.group) === one.group;
      });
      return listing(page, subscriptionRecord);
    },
  }),
  defineOperation({
    id: 'getWebhookSubscription',
    method: 'GET',
    path: '/webhook_subscriptions/{uuid}',
    summary: 'One subscription',
    scopes: ['webhooks:write'],
    answers: 'resource',
    schema: webhookSubscriptionResource,
    run: ({ service, caller, uri }) => subscriptionRecord(demandSubscription(service.state, caller, uri)),
  }),
  defineOperation({
    id: 'deleteWebhookSubscription',
    method: 'DELETE',
    path: '/webhook_subscriptions/{uuid}',
    summary: 'End a subscription; what waits for it is dropped',
    scopes: ['webhooks:write'],
    answers: 'nothing',
    run({ service: { state }, caller, uri }) {
      state.subscriptions.delete(demandSubscription(state, caller, uri).uri);
    },
  }),
];

function demandScopes({ scopes }: Caller, { events }: SubscriptionRequest): void {
  const missing = missingScopes(
    scopes,
    events.map((event) => contractOf(event).requiredCallerScope),
  );
  if (missing.length > 0) throw lacksScopes(missing);
}

/** For an organization as its administrator, for a group also as its member, for a user only as that user. */
function demandSubject(state: State, caller: Caller, { scope, user = '', group = '' }: SubscriptionRequest): void {
  switch (scope) {
    case 'organization':
      if (!isAdministrator(caller)) throw denied(noPermission);
      return;
    case 'user': {
      const found = state.users.get(user);
      if (found === undefined) throw notFound('No such user.', 'user');
      if (found.current_organization !== caller.organization.uri) throw denied(noAccess);
      if (user !== caller.user.uri) throw denied(noPermission);
      return;
    }
    case 'group': {
      const found = state.groups.get(group);
      if (found === undefined) throw notFound('No such group.', 'group');
      if (found.organization !== caller.organization.uri) throw denied(noAccess);
      if (!isAdministrator(caller) && !found.members.includes(caller.user.uri)) throw denied(noPermission);
    }
  }
}

function demandSubscription(state: State, caller: Caller, uri: string): StoredSubscription {
  const subscription = state.subscriptions.get(uri);
  if (subscription === undefined) throw notFound('No such subscription.');
  const isOwn = subscription.creator === caller.user.uri;
  if (subscription.organization !== caller.organization.uri || !(isOwn || isAdministrator(caller)))
    throw denied(noAccess);
  return subscription;
}
