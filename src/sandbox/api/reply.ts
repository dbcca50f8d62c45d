// The status and the envelope of an answer.
import { collectionEnvelope, resourceEnvelope } from '#schemas/resources/envelope.ts';
import type { z } from 'zod';
import type { Operation } from './operation.ts';

export const statusOf = (operation: Operation): 200 | 201 | 204 =>
  operation.answers === 'nothing' ? 204 : operation.answers === 'resource' ? (operation.status ?? 200) : 200;

/** The schema of the whole answer; none for 204. */
export function answerSchema(operation: Operation): z.ZodType | undefined {
  if (operation.answers === 'nothing') return undefined;
  return operation.answers === 'resource' ? resourceEnvelope(operation.schema) : collectionEnvelope(operation.schema);
}
