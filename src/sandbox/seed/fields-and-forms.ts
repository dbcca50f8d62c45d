// The custom fields contacts can have, one of every type and one retired; and a routing form with every kind of result.
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { randomOf } from '#src/sandbox/random.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { SeededEventTypes } from './event-types.ts';
import type { Team } from './people.ts';

type FieldPlan = readonly [
  label: string,
  type: CustomFieldDefinitionResource['field_type'],
  more?: { readonly options?: readonly string[]; readonly currency?: string; readonly retired?: true },
];

const plans: readonly FieldPlan[] = [
  ['Segment', 'single_select', { options: ['Enterprise', 'Mid-market', 'Startup'] }],
  ['Notes', 'text'],
  ['Seats', 'number'],
  ['Contract value', 'currency', { currency: 'EUR' }],
  ['Newsletter', 'boolean'],
  ['Renewal', 'date'],
  ['Interests', 'tags'],
  ['How did you hear of us?', 'invitee_question'],
  ['Fax number', 'text', { retired: true }],
];

/** Responses list the definitions in this order. */
export function seedFields({ state, options, clock }: Service, { organization }: Team): void {
  const random = randomOf(options.seed, 'fields', organization.name);
  plans.forEach(([label, field_type, more], index) => {
    const made = instantOf(clock.nowMs() - (700 - index) * dayMs);
    const retired_at = more?.retired === true ? instantOf(clock.nowMs() - 90 * dayMs) : null;
    state.definitions.put({
      uri: `${options.baseUrl}/contacts/custom_field_definitions/${random.uuid()}`,
      label,
      field_type,
      ...(more?.options && { options: more.options.map((option) => ({ uuid: random.uuid(), label: option })) }),
      ...(more?.currency === undefined ? {} : { currency: more.currency }),
      created_at: made,
      updated_at: retired_at ?? made,
      retired_at,
      organization: organization.uri,
    });
  });
}

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
