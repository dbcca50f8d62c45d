// Routing forms and their submissions. A submission is delivered before any booking; the invitee that follows refers to it.
import { z } from 'zod';
import { asSent, noNotes, type EventContract } from './event.ts';
import { tracking } from './tracking.ts';
import { loosely, moment, text, uri } from './wire.ts';

const answer = z.looseObject({ question_uuid: text, question: text, answer: text });

export const routingFormSubmission = z.looseObject({
  uri,
  routing_form: text,
  questions_and_answers: z.nullish(z.array(answer)),
  tracking: z.nullish(tracking),
  /** `value` is a URI, a URL, or `{headline, body}`, by `type`. */
  result: z.nullish(z.looseObject({ type: text, value: z.optional(z.unknown()) })),
  submitter: text,
  submitter_type: text,
  created_at: moment,
  updated_at: moment,
});

/** Only ever read: no event tells of a form (A27). */
export const routingForm = z.looseObject({
  uri,
  name: text,
  status: text,
  organization: text,
  questions: loosely(z.array(z.looseObject({ uuid: text, name: text, type: text }))),
  created_at: moment,
  updated_at: moment,
});

export type RoutingForm = z.output<typeof routingForm>;
export type RoutingFormSubmission = z.output<typeof routingFormSubmission>;

const contract = {
  family: 'routing-form',
  allowedScopes: ['organization'],
  requiredCallerScope: 'routing_forms:read',
  inRequestEnum: true,
  unwrap: asSent,
  schema: routingFormSubmission,
  notes: noNotes,
} as const satisfies EventContract<RoutingFormSubmission>;

export const routingFormEvents = {
  'routing_form_submission.created': contract,
} as const;
