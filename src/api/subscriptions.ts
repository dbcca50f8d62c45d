// Our webhook subscriptions, as they were when they were last checked.
import { pageQuery } from '#schemas/pagination.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { instant, nullableUri } from '#schemas/resources/values.ts';
import { z } from 'zod';
import { comparePositions, type Page, type PageRequest, type Position, listing } from '#src/http/pagination.ts';
import { readSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { defineOperation } from './api-operation.ts';

const record = webhookSubscriptionResource
  .extend({
    // As the service lists them: it may have kinds that we do not.
    events: z.array(z.string()),
    state: z.string().describe('`active` or `disabled`.'),
    organization: nullableUri,
    created_at: instant.nullable(),
    updated_at: instant.nullable(),
    checked_at: instant.describe('When it was last checked; for a disabled one, when it was last seen active.'),
  })
  .meta({ id: 'KnownSubscription' });

export const listSubscriptions = defineOperation({
  id: 'listSubscriptions',
  method: 'GET',
  path: '/api/subscriptions',
  tag: 'Subscriptions',
  summary: 'Our webhook subscriptions, as they were last seen',
  description: 'Created by `./bin/slotstream bootstrap` and monitored by the running process.',
  query: pageQuery,
  answers: 'collection',
  schema: record,
  run: async ({ store, pageIn }) => listing(pageOf(await readSubscriptions(store), pageIn()), (known) => known),
});

export const subscriptionOperations = [listSubscriptions] as const;

const positionOf = ({ uri }: KnownSubscription): Position => ({ key: '', uri });

/** There are few subscriptions, so they are paged in memory. */
function pageOf(all: readonly KnownSubscription[], { count, from, backwards }: PageRequest): Page<KnownSubscription> {
  const sorted = all.toSorted((a, b) => comparePositions(positionOf(a), positionOf(b)));
  const before = from ? sorted.filter((known) => comparePositions(positionOf(known), from) < 0) : [];
  const after = from ? sorted.filter((known) => comparePositions(positionOf(known), from) > 0) : sorted;
  const items = backwards ? before.slice(-count) : after.slice(0, count);
  return {
    items,
    hasPrevious: backwards ? before.length > count : from !== undefined,
    hasNext: backwards || after.length > count,
    positionOf,
  };
}
