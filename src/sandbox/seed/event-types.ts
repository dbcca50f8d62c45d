// What the organizations offer: event types of every kind in the specification, custom fields of every type, and a routing form.
import type { EventTypeLocation, EventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { itemAt, randomOf } from '#src/sandbox/random.ts';
import { addEventType, described } from '#src/sandbox/world/event-types.ts';
import type { Service, StoredEventType } from '#src/sandbox/world/service.ts';
import type { People, Team } from './people.ts';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';

type Question = EventTypeResource['custom_questions'][number];

const topic: Question = {
  name: 'What would you like to talk about?',
  type: 'text',
  position: 0,
  enabled: true,
  required: false,
  answer_choices: [],
  include_other: false,
};
const teamSize: Question = {
  ...topic,
  name: 'How big is your team?',
  type: 'single_select',
  position: 1,
  required: true,
  answer_choices: ['1–10', '11–50', '51–500'],
};
// Questions keep the spaces people typed, and an answer must match them exactly.
const consent: Question = { ...topic, name: 'May we record the call? ', type: 'string', position: 3, required: true };

type Plan = readonly [
  name: string,
  minutes: number,
  location: EventTypeLocation,
  hosts: readonly UserResource[],
  more?: Partial<Omit<StoredEventType, 'name'>>,
];

type SeededEventTypes = ReturnType<typeof seedEventTypes>;

export function seedEventTypes(service: Service, { main, free, trial, enterprise }: People) {
  const { owner, admin, member, users } = main;
  const others = users.slice(3);
  const office = { kind: 'physical', location: '12 Harbour Street, second floor' } as const;
  const more: readonly Plan[] = [
    ['Office visit', 30, office, [owner, member], { pooling_type: 'collective', reconfirms: true }],
    ['Panel interview', 60, { kind: 'webex_conference' }, [admin, member, ...others], { pooling_type: 'multi_pool' }],
    ['Coaching session', 50, { kind: 'outbound_call' }, [member], { price: 120, duration_options: [25, 50, 100] }],
    ['Discovery call', 30, { kind: 'google_conference' }, [admin], { custom_questions: [topic, teamSize, consent] }],
    ['Support line', 15, { kind: 'inbound_call', phone_number: '+12025550100' }, [member]],
    ['Site walk', 90, { kind: 'ask_invitee' }, [owner]],
    ['Lunch', 60, { kind: 'custom', location: 'The usual place' }, [admin]],
    ['Partner sync', 30, { kind: 'gotomeeting_conference' }, [others[0] ?? member]],
  ];
  const [solo = '', group = '', round_robin = ''] = seedTeamEventTypes(service, main, more);
  for (const team of [free, trial, enterprise]) seedTeamEventTypes(service, team, []);
  return { solo, group, round_robin };
}

/** The three event types of every organization, and more. Returns their URIs. */
function seedTeamEventTypes(service: Service, team: Team, more: readonly Plan[]): readonly string[] {
  const { owner, users } = team;
  const common: readonly Plan[] = [
    ['Intro call', 30, { kind: 'zoom_conference' }, [owner]],
    ['Onboarding workshop', 60, { kind: 'zoom_conference' }, [owner], { kind: 'group', seats: 8 }],
    ['Product demo', 45, { kind: 'microsoft_teams_conference' }, users, { pooling_type: 'round_robin' }],
  ];
  const { options, clock } = service;
  return [...common, ...more].map(([name, duration, location, hosts, settings], position) => {
    const random = randomOf(options.seed, 'offer', team.organization.name, name);
    const { uri } = addEventType(service, {
      uri: `${options.baseUrl}/event_types/${random.uuid()}`,
      name,
      duration,
      created_at: instantOf(clock.nowMs() - (800 - position) * dayMs),
      owner: itemAt(hosts, 0),
      hosts: hosts.map((host) => host.uri),
      ...described(`${duration} minutes with ${team.organization.name}.`),
      custom_questions: [topic],
      locations: [location],
      position,
      ...settings,
    });
    return uri;
  });
}

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
