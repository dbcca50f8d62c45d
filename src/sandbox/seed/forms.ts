// Routing forms: each of the three results a submission can have is one answer away.
import { randomOf } from '#src/sandbox/random.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { SeededEventTypes } from './event-types.ts';
import type { Team } from './people.ts';

export function seedForms({ state, options, clock }: Service, { organization }: Team, offers: SeededEventTypes): void {
  const random = randomOf(options.seed, 'forms', organization.name);
  const made = instantOf(clock.nowMs() - 400 * dayMs);
  const question = (name: string, type: 'name' | 'email' | 'select', answer_choices: string[] = []) => ({
    uuid: random.uuid(),
    name,
    type,
    required: true,
    answer_choices,
  });
  state.routingForms.put({
    uri: `${options.baseUrl}/routing_forms/${random.uuid()}`,
    name: 'Talk to us',
    organization: organization.uri,
    status: 'published',
    questions: [
      question('Your name', 'name'),
      question('Work e-mail', 'email'),
      question('What brings you here?', 'select', ['A demo', 'Pricing', 'Support']),
    ],
    created_at: made,
    updated_at: made,
    routes: [
      { answer: 'A demo', result: { type: 'event_type', value: offers.round_robin } },
      { answer: 'Pricing', result: { type: 'external_url', value: 'https://northwind.example.test/pricing' } },
      {
        answer: 'Support',
        result: { type: 'custom_message', value: { headline: 'Thank you', body: 'We answer within one working day.' } },
      },
    ],
  });
}
