// The newest deliveries as sentences: who did what.
import { z } from 'zod';
import { describeEvent } from '#schemas/describe-event.ts';
import { isEventKind } from '#schemas/events.ts';
import { instant } from '#schemas/resources/values.ts';
import { isObject } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { newestDeliveries, type TailEntry } from '#src/store/log/delivery-tail.ts';

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

/** Reading the names of a person is not worth parsing a body that is larger. */
const maxBodyLength = 64 * 1024;

function sentenceOf({ event, body, encoding, redacted }: TailEntry): string {
  if (event === null) return 'a delivery that could not be parsed';
  if (!isEventKind(event)) return `a delivery of the unknown kind ${event}`;
  if (redacted || body === null) return `${event}, whose content was removed`;
  return describeEvent({ event, payload: encoding === null && body.length <= maxBodyLength ? payloadIn(body) : {} });
}

function payloadIn(body: string) {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && isObject(parsed['payload']) ? parsed['payload'] : {};
  } catch {
    return {};
  }
}
