// Dismissing deliveries that could not be applied: one, or everything that a filter matches.
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import { conflict, invalid } from '#src/http/http-error.ts';
import { isUnprojected } from '#workers/fold/pipeline/parse.ts';
import { dismissEntries, dismissMatching } from '#workers/sync/dismiss.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { findDelivery, oneDelivery, wholeDelivery } from './deliveries.ts';
import { deliveryFilterFields, filterOf, wholeDeliveryRecord } from './delivery-records.ts';

export const dismissDelivery = defineOperation({
  ...oneDelivery,
  errors: { ...oneDelivery.errors, 409: 'It was applied.' },
  id: 'dismissDelivery',
  method: 'POST',
  path: '/api/deliveries/{id}/dismiss',
  summary: 'Dismiss one delivery that could not be applied',
  description:
    'It stays in the log with its outcome and its reason, and is no longer counted as waiting. A replay that applies it makes it a delivery like any other.',
  audited: true,
  answers: 'resource',
  schema: wholeDeliveryRecord,
  async run({ store, signing, clock, params }) {
    const entry = await findDelivery(store, params.id);
    if (!isUnprojected(entry)) throw conflict({ message: 'It was applied: there is nothing to dismiss.' });
    await dismissEntries(store, [entry.seq], instantOf(clock()));
    return wholeDelivery(await findDelivery(store, entry.delivery_id), signing);
  },
});

export const dismissDeliveries = defineOperation({
  id: 'dismissDeliveries',
  method: 'POST',
  path: '/api/deliveries/dismiss',
  tag: 'Deliveries',
  summary: 'Dismiss every delivery that matches a filter and could not be applied',
  description: 'Deliveries that were applied, or dismissed before, are left as they are.',
  audited: true,
  body: deliveryFilterFields,
  answers: 'object',
  schema: z.strictObject({ dismissed: z.int().describe('How many were dismissed.') }).meta({ id: 'Dismissal' }),
  async run({ store, clock, body }) {
    if (Object.values(body).every((value) => value === undefined))
      throw invalid({ message: 'Give at least one filter, such as `outcome`.' });
    return { dismissed: await dismissMatching(store, filterOf(body), instantOf(clock())) };
  },
});

export const dismissOperations = [dismissDelivery, dismissDeliveries] as const;
