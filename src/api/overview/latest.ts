// The newest deliveries as sentences: who did what.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { sentenceOf } from '#src/api/deliveries/sentences.ts';
import type { Store } from '#src/store/contract.ts';
import { newestDeliveries } from '#src/store/log/delivery-tail.ts';

export const latestDelivery = z.strictObject({
  seq: z.int(),
  delivery_id: z.string(),
  event: z.string().nullable(),
  received_at: instant,
  outcome: z.string(),
  sentence: z.string().describe('Who did what, from the body.'),
});

const shown = 20;

export async function readLatest(store: Store): Promise<readonly z.output<typeof latestDelivery>[]> {
  const entries = await newestDeliveries(store, shown);
  return entries.map((entry) => {
    const { seq, delivery_id, event, received_at, outcome } = entry;
    return { seq, delivery_id, event, received_at, outcome, sentence: sentenceOf(entry) };
  });
}
