// Webhook subscriptions.
import type { z } from 'zod';
import { subscriptionListQuery } from '#schemas/list-query.ts';
import {
  subscriptionRequestWithEventTypes,
  webhookSubscription,
  type WebhookSubscription,
} from '#schemas/subscription.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, parseRequest, type FetchedRecord, type ListQuery } from '#src/upstream/request.ts';

const path = '/webhook_subscriptions';

/**
 * Repeated also when the outcome is unknown: the service rejects a second one for the same URL with 409, and the caller then looks
 * up the existing one. `event_type.*` is allowed (A6c): the service decides whether it supports it.
 */
export function createWebhookSubscription(
  client: Client,
  request: z.input<typeof subscriptionRequestWithEventTypes>,
  options?: CallOptions,
): Promise<FetchedRecord<WebhookSubscription>> {
  const body = parseRequest(subscriptionRequestWithEventTypes, request, `POST ${path}`);
  return callForRecord(client, { method: 'POST', path, body, reads: webhookSubscription, isRepeatable: true }, options);
}

export function listWebhookSubscriptions(
  client: Client,
  query: ListQuery<typeof subscriptionListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<WebhookSubscription>> {
  return callForList(client, { path, asks: subscriptionListQuery, query, reads: webhookSubscription }, options);
}

export async function deleteWebhookSubscription(client: Client, uri: string, options?: CallOptions): Promise<void> {
  await client.call({ method: 'DELETE', path: uri }, options);
}
