// The seeded event types: one for every kind of location, pooling and form in the specification.
import { itemAt, randomOf } from '#src/sandbox/random.ts';
import type { EventTypeLocation, EventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';
import type { People, Team } from './people.ts';

interface EventTypePlan {
  readonly name: string;
  readonly minutes: number;
  readonly location: EventTypeLocation;
  readonly kind?: 'group';
  readonly seats?: number;
  readonly pooling?: EventTypeResource['pooling_type'];
  readonly hosts: readonly UserResource[];
  readonly price?: number;
  readonly reconfirms?: true;
  readonly questions?: readonly Question[];
}

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

export interface SeededEventTypes {
  readonly solo: string;
  readonly group: string;
  readonly round_robin: string;
}

export function seedEventTypes(service: Service, { main, free, trial, enterprise }: People): SeededEventTypes {
  const { owner, admin, member, users } = main;
  const others = users.slice(3);
  const common = seedCommon(service, main, users);
  const more: readonly EventTypePlan[] = [
    {
      name: 'Office visit',
      minutes: 30,
      location: { kind: 'physical', location: '12 Harbour Street, second floor' },
      pooling: 'collective',
      hosts: [owner, member],
      reconfirms: true,
    },
    {
      name: 'Panel interview',
      minutes: 60,
      location: { kind: 'webex_conference' },
      pooling: 'multi_pool',
      hosts: [admin, member, ...others],
    },
    { name: 'Coaching session', minutes: 50, location: { kind: 'outbound_call' }, hosts: [member], price: 120 },
    {
      name: 'Discovery call',
      minutes: 30,
      location: { kind: 'google_conference' },
      hosts: [admin],
      questions: [topic, teamSize, consent],
    },
    {
      name: 'Support line',
      minutes: 15,
      location: { kind: 'inbound_call', phone_number: '+12025550100' },
      hosts: [member],
    },
    { name: 'Site walk', minutes: 90, location: { kind: 'ask_invitee' }, hosts: [owner] },
    { name: 'Lunch', minutes: 60, location: { kind: 'custom', location: 'The usual place' }, hosts: [admin] },
    { name: 'Partner sync', minutes: 30, location: { kind: 'gotomeeting_conference' }, hosts: [others[0] ?? member] },
  ];
  more.forEach((plan, index) => seedEventType(service, main, { ...plan, position: index + 3 }));
  for (const team of [free, trial, enterprise]) seedCommon(service, team, team.users);
  return common;
}

/** The three event types of every organization. */
function seedCommon(service: Service, team: Team, hosts: readonly UserResource[]): SeededEventTypes {
  const { owner } = team;
  const put = (plan: EventTypePlan, position: number): string => seedEventType(service, team, { ...plan, position });
  return {
    solo: put(
      { name: 'Intro call', minutes: 30, location: { kind: 'zoom_conference' }, hosts: [owner], questions: [topic] },
      0,
    ),
    group: put(
      {
        name: 'Onboarding workshop',
        minutes: 60,
        location: { kind: 'zoom_conference' },
        kind: 'group',
        seats: 8,
        hosts: [owner],
      },
      1,
    ),
    round_robin: put(
      {
        name: 'Product demo',
        minutes: 45,
        location: { kind: 'microsoft_teams_conference' },
        pooling: 'round_robin',
        hosts,
      },
      2,
    ),
  };
}

function seedEventType(
  { state, options, clock }: Service,
  { organization }: Team,
  plan: EventTypePlan & { position: number },
): string {
  const random = randomOf(options.seed, 'offer', organization.name, plan.name);
  const host = itemAt(plan.hosts, 0);
  const made = instantOf(clock.nowMs() - (800 - plan.position) * dayMs);
  const slug = plan.name.toLowerCase().replaceAll(' ', '-');
  const eventType: StoredEventType = {
    uri: `${options.baseUrl}/event_types/${random.uuid()}`,
    name: plan.name,
    active: true,
    slug,
    scheduling_url: `${options.baseUrl}/pages/${host.slug}/${slug}`,
    duration: plan.minutes,
    kind: plan.kind ?? 'solo',
    pooling_type: plan.pooling ?? null,
    type: 'StandardEventType',
    color: '#0a7d8c',
    created_at: made,
    updated_at: made,
    internal_note: null,
    description_plain: `${plan.minutes} minutes with ${organization.name}.`,
    description_html: `<p>${plan.minutes} minutes with ${organization.name}.</p>`,
    profile: {
      type: plan.hosts.length > 1 ? 'Team' : 'User',
      name: plan.hosts.length > 1 ? organization.name : host.name,
      owner: host.uri,
    },
    secret: false,
    booking_method: 'instant',
    custom_questions: [...(plan.questions ?? [topic])],
    deleted_at: null,
    admin_managed: false,
    locations: [plan.location],
    position: plan.position,
    locale: 'en',
    seats: plan.seats ?? 1,
    hosts: plan.hosts.map(({ uri }) => uri),
    price: plan.price ?? null,
    reconfirms: plan.reconfirms === true,
  };
  state.eventTypes.put(eventType);
  return eventType.uri;
}
