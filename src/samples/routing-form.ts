// A filled-in routing form: it is told before the booking it leads to.
import type { Person } from './person.ts';
import type { Random } from './random.ts';
import { serviceUrl, wireTime } from './sample.ts';
import type { JsonRecord } from './sample.ts';
import type { Offer, World } from './sample-organization.ts';

export interface SubmissionPlan {
  readonly person: Person;
  readonly offer: Offer;
  readonly atMs: number;
}

export function submissionRecord(world: World, random: Random, { person, offer, atMs }: SubmissionPlan): JsonRecord {
  const answers = [
    ['Work e-mail', person.email],
    ['How big is your team?', random.pick(['1–10', '11–50', '51–500'])],
    ['What brings you here?', random.pick(['A demo', 'Support', 'Pricing'])],
  ] as const;
  return {
    uri: `${serviceUrl}/routing_form_submissions/${random.uuid()}`,
    routing_form: world.routingForm,
    questions_and_answers: answers.map(([question, answer]) => ({ question_uuid: random.uuid(), question, answer })),
    tracking: {
      utm_campaign: null,
      utm_source: 'search',
      utm_medium: null,
      utm_content: null,
      utm_term: null,
      salesforce_uuid: null,
    },
    result: { type: 'event_type', value: offer.uri },
    submitter: null,
    submitter_type: null,
    created_at: wireTime(atMs),
    updated_at: wireTime(atMs),
  };
}
