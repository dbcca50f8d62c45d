// Webhook subscriptions: what makes the service tell us.
import type { z } from 'zod';
import { subscriptionListQuery } from '#schemas/list-query.ts';
import {
  subscriptionRequestWithEventTypes,
  webhookSubscription,
  type WebhookSubscription,
} from '#schemas/subscription.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

const path = '/webhook_subscriptions';

/**
 * Repeated also when its outcome is open: a second one to the same URL is refused with 409, and whoever gets that looks for
 * the one that exists. `event_type.*` is let through (A6c): the service says whether it takes it.
 */
export function createWebhookSubscription(
  client: Client,
  request: z.input<typeof subscriptionRequestWithEventTypes>,
  options?: CallOptions,
): Promise<Found<WebhookSubscription>> {
  const body = checked(subscriptionRequestWithEventTypes, request, `POST ${path}`);
  return callForRecord(client, { method: 'POST', path, body, reads: webhookSubscription, isRepeatable: true }, options);
}

export function listWebhookSubscriptions(
  client: Client,
  query: ListQuery<typeof subscriptionListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<WebhookSubscription>> {
  return callForList(client, { path, asks: subscriptionListQuery, query, reads: webhookSubscription }, options);
}

export function getWebhookSubscription(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<Found<WebhookSubscription>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: webhookSubscription }, options);
}

export async function deleteWebhookSubscription(client: Client, uri: string, options?: CallOptions): Promise<void> {
  await client.call({ method: 'DELETE', path: uri }, options);
}
