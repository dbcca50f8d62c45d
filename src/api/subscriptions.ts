// Our webhook subscriptions on the admin listener, as they were when somebody last looked.
import { pageQuery } from '#schemas/pagination.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { instant, nullableUri } from '#schemas/resources/values.ts';
import { z } from 'zod';
import { comparePositions, type Page, type PageRequest, type Position, listing } from '#src/http/pagination.ts';
import { readSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';

const record = webhookSubscriptionResource
  .extend({
    // What the service says, also where it knows more kinds than we do.
    events: z.array(z.string()),
    state: z.string().describe('`active` or `disabled`.'),
    organization: nullableUri,
    created_at: instant.nullable(),
    updated_at: instant.nullable(),
    checked_at: instant.describe('When it was last looked at; for a disabled one, when it was last seen active.'),
  })
  .meta({ id: 'KnownSubscription' });

export const subscriptionOperations = ({ store }: ReaderNeeds): readonly Operation[] => [
  defineOperation({
    id: 'listSubscriptions',
    method: 'GET',
    path: '/api/subscriptions',
    tag: 'Subscriptions',
    summary: 'Our webhook subscriptions, as they were last seen',
    description: 'Made by `npx slotstream bootstrap`, and looked after by the watch.',
    query: pageQuery,
    answers: 'collection',
    schema: record,
    run: async ({ pageIn }) => listing(pageOf(await readSubscriptions(store), pageIn()), (known) => known),
  }),
];

const positionOf = ({ uri }: KnownSubscription): Position => ({ key: '', uri });

/** There are a handful of them. */
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
