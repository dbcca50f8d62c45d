// A routing form and what was submitted with it (A4d). The specification shows neither record: the fields are assumed (A27).
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { trackingResource } from './invitee.ts';
import { instant, nullableText, nullableUri } from './values.ts';

export const routingFormResource = z.strictObject({
  uri,
  name: z.string(),
  organization: uri,
  status: z.enum(['published', 'draft']),
  questions: z.array(
    z.strictObject({
      uuid: z.string(),
      name: z.string(),
      type: z.enum(['name', 'email', 'text', 'select']),
      required: z.boolean(),
      answer_choices: z.array(z.string()),
    }),
  ),
  created_at: instant,
  updated_at: instant,
});

export const routingResult = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('event_type'), value: uri }),
  z.strictObject({ type: z.literal('external_url'), value: z.url() }),
  z.strictObject({
    type: z.literal('custom_message'),
    value: z.strictObject({ headline: z.string(), body: z.string() }),
  }),
]);

export const routingFormSubmissionResource = z.strictObject({
  uri,
  routing_form: uri,
  questions_and_answers: z.array(
    z.strictObject({ question_uuid: z.string(), question: z.string(), answer: z.string() }),
  ),
  tracking: trackingResource,
  result: routingResult,
  submitter: nullableUri,
  submitter_type: nullableText,
  created_at: instant,
  updated_at: instant,
});

export type RoutingFormResource = z.output<typeof routingFormResource>;
export type RoutingResult = z.output<typeof routingResult>;
export type RoutingFormSubmissionResource = z.output<typeof routingFormSubmissionResource>;
