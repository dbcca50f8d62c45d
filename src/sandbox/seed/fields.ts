// The custom fields contacts can have: one of every type, and one that was retired.
import { randomOf } from '#src/sandbox/random.ts';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
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

/** The definitions of the organization, in this order in every answer. */
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
