// Creates the service in memory, seeded: the same seed creates the same people, event types, custom fields, forms, contacts and tokens.
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { confidentialClient } from '#src/sandbox/auth/clients.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { createTokens, type Tokens } from '#src/sandbox/auth/tokens.ts';
import { createContactCollection } from '#src/sandbox/world/contacts/contact-entry.ts';
import { definitionsInUse } from '#src/sandbox/world/contacts/contacts.ts';
import { seededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { randomOf } from '#src/sandbox/random.ts';
import { createState, type Service, type Fact, type ServiceOptions } from '#src/sandbox/world/service.ts';
import { seedFields, seedForms, seedEventTypes } from './event-types.ts';
import { seedHistory, seedRecaps, type Progress } from './history.ts';
import { seedPeople, type Team } from './people.ts';
import { createClock } from '#src/sandbox/clock.ts';

export interface WorldSize {
  readonly contacts: number;
  readonly bookings: number;
  /** The share of the bookings that began with a routing form; none when absent. */
  readonly routed?: number;
}

export interface ServiceNeeds {
  realMs(): number;
  /** Receives everything that happens after seeding. */
  emit(fact: Fact): void;
  /** Receives what happened in the seeded history, in order. */
  seeded?(fact: Fact): void;
  readonly progress?: Progress;
}

export function createService(plan: WorldSize & ServiceOptions, needs: ServiceNeeds) {
  const { contacts, bookings, routed = 0, ...options } = plan;
  const { realMs, emit, seeded = () => undefined, progress } = needs;
  const service: Service = {
    options,
    state: createState(),
    clock: createClock(realMs),
    random: randomOf(options.seed, 'service'),
    emit,
  };
  const tokens = createTokens(service);
  const seeding = { ...service, emit: seeded };
  const handles = seedWorld(seeding, tokens, { contacts, bookings, routed, ...(progress && { progress }) });
  return { service, tokens, handles };
}

/** What a client needs to start: URIs and tokens. */
export type Handles = ReturnType<typeof seedWorld>;

const fewContacts = 5;

function seedWorld(service: Service, tokens: Tokens, plan: WorldSize & Pick<ServiceNeeds, 'progress'>) {
  const { options } = service;
  const people = seedPeople(service);
  const { main, free, trial, enterprise } = people;
  const eventTypes = seedEventTypes(service, people);
  for (const team of [main, free, trial, enterprise]) {
    seedFields(service, team);
    seedContacts(service, team, team === main ? plan.contacts : fewContacts);
  }
  seedForms(service, main, eventTypes);
  seedHistory(service, { ...plan, organization: main.organization.uri });
  seedRecaps(service, main);
  const personal = (name: string, { uri }: UserResource, scopes: readonly ApiScope[] = everyScope): string =>
    tokens.personal(name, { user: uri, scopes });
  return {
    base_url: options.baseUrl,
    auth_url: options.baseUrl,
    organization: main.organization.uri,
    users: { owner: main.owner.uri, admin: main.admin.uri, member: main.member.uri },
    group: main.group,
    event_types: eventTypes,
    tokens: {
      owner: personal('owner', main.owner),
      admin: personal('admin', main.admin),
      member: personal('member', main.member),
      no_scopes: personal('no_scopes', main.owner, []),
      free_plan: personal('free_plan', free.owner),
      trial: personal('trial', trial.owner),
      enterprise: personal('enterprise', enterprise.owner),
    },
    /** The confidential client; `slotstream` is a public one. */
    oauth: confidentialClient(options.seed),
  };
}

/** The contacts of the organization, spread over its team. Its custom fields must be seeded before. */
function seedContacts(service: Service, { organization, users }: Team, size: number): void {
  const { state, options, clock } = service;
  const seeded = seededContacts({
    seed: randomOf(options.seed, 'contacts', organization.name).int(0, 0xffff_ffff),
    size,
    baseUrl: options.baseUrl,
    nowMs: clock.nowMs(),
    owners: users.map(({ uri }) => uri),
    definitions: definitionsInUse(service, organization.uri),
  });
  const contacts = createContactCollection();
  for (const contact of seeded) contacts.put(contact);
  state.contacts.set(organization.uri, contacts);
}
