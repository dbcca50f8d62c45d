// A webhook subscription, field by field as the specification's table has it.
import { z } from 'zod';
import { subscriptionScopes } from '#schemas/event.ts';
import { allEventKinds } from '#schemas/events.ts';
import { subscriptionStates } from '#schemas/subscription.ts';
import { uri } from '#schemas/wire.ts';
import { instant, nullableUri } from './values.ts';

export const webhookSubscriptionResource = z.strictObject({
  uri,
  callback_url: z.url(),
  created_at: instant,
  updated_at: instant,
  retry_started_at: instant.nullable(),
  state: z.enum(subscriptionStates),
  events: z.array(z.enum(allEventKinds)).min(1),
  scope: z.enum(subscriptionScopes),
  organization: uri,
  user: nullableUri,
  group: nullableUri,
  creator: nullableUri,
});

export type WebhookSubscriptionResource = z.output<typeof webhookSubscriptionResource>;
