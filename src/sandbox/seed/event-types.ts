// The seeded event types: one for every kind of location, pooling and form in the specification.
import type { EventTypeLocation, EventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { itemAt, randomOf } from '#src/sandbox/random.ts';
import { addEventType, described } from '#src/sandbox/world/event-types.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';
import type { People, Team } from './people.ts';

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

export interface SeededEventTypes {
  readonly solo: string;
  readonly group: string;
  readonly round_robin: string;
}

export function seedEventTypes(service: Service, { main, free, trial, enterprise }: People): SeededEventTypes {
  const { owner, admin, member, users } = main;
  const others = users.slice(3);
  const office = { kind: 'physical', location: '12 Harbour Street, second floor' } as const;
  const more: readonly Plan[] = [
    ['Office visit', 30, office, [owner, member], { pooling_type: 'collective', reconfirms: true }],
    ['Panel interview', 60, { kind: 'webex_conference' }, [admin, member, ...others], { pooling_type: 'multi_pool' }],
    ['Coaching session', 50, { kind: 'outbound_call' }, [member], { price: 120 }],
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
