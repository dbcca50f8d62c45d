// Seeds the world: the same seed creates the same people, event types, custom fields, forms, contacts and tokens.
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { confidentialClient } from '#src/sandbox/auth/clients.ts';
import type { Tokens } from '#src/sandbox/auth/tokens.ts';
import { createContactCollection } from '#src/sandbox/world/contacts/contact-collection.ts';
import { definitionsInUse } from '#src/sandbox/world/contacts/contacts.ts';
import { createSeededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { randomOf } from '#src/sandbox/random.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { seedFields, seedForms } from './fields-and-forms.ts';
import { seedHistory, seedRecaps, type Progress } from './history.ts';
import { seedEventTypes } from './event-types.ts';
import { seedPeople, type Team } from './people.ts';

export interface WorldSize {
  readonly contacts: number;
  readonly bookings: number;
}

export interface SeedPlan extends WorldSize {
  readonly progress?: Progress;
}

/** What a client needs to start: URIs and tokens. */
export interface Handles {
  readonly base_url: string;
  readonly auth_url: string;
  readonly organization: string;
  readonly users: { readonly owner: string; readonly admin: string; readonly member: string };
  readonly group: string;
  readonly event_types: { readonly solo: string; readonly group: string; readonly round_robin: string };
  readonly tokens: Readonly<Record<TokenName, string>>;
  /** The confidential client; `slotstream` is a public one. */
  readonly oauth: { readonly client_id: string; readonly client_secret: string };
}

type TokenName = 'owner' | 'admin' | 'member' | 'no_scopes' | 'free_plan' | 'trial' | 'enterprise';

/** Contacts of each small organization. */
const fewContacts = 5;

export function seedWorld(service: Service, tokens: Tokens, plan: SeedPlan): Handles {
  const { options } = service;
  const people = seedPeople(service);
  const { main, free, trial, enterprise } = people;
  const teams = [main, free, trial, enterprise];
  const eventTypes = seedEventTypes(service, people);
  for (const team of teams) {
    seedFields(service, team);
    seedContacts(service, team, team === main ? plan.contacts : fewContacts);
  }
  seedForms(service, main, eventTypes);
  seedHistory(service, { ...plan, organization: main.organization.uri });
  seedRecaps(service, main);
  const personal = (name: TokenName, user: string, scopes: readonly ApiScope[] = everyScope): string =>
    tokens.personal(name, { user, scopes });
  return {
    base_url: options.baseUrl,
    auth_url: options.baseUrl,
    organization: main.organization.uri,
    users: { owner: main.owner.uri, admin: main.admin.uri, member: main.member.uri },
    group: main.group,
    event_types: eventTypes,
    tokens: {
      owner: personal('owner', main.owner.uri),
      admin: personal('admin', main.admin.uri),
      member: personal('member', main.member.uri),
      no_scopes: personal('no_scopes', main.owner.uri, []),
      free_plan: personal('free_plan', free.owner.uri),
      trial: personal('trial', trial.owner.uri),
      enterprise: personal('enterprise', enterprise.owner.uri),
    },
    oauth: confidentialClient(options.seed),
  };
}

/** The contacts of the organization, spread over its team. Its custom fields must be seeded before. */
function seedContacts(service: Service, { organization, users }: Team, size: number): void {
  const { state, options, clock } = service;
  const seeded = createSeededContacts({
    seed: randomOf(options.seed, 'contacts', organization.name).int(0, 0xffff_ffff),
    size,
    baseUrl: options.baseUrl,
    nowMs: clock.nowMs(),
    owners: users.map(({ uri }) => uri),
    definitions: definitionsInUse(service, organization.uri),
  });
  state.contacts.set(organization.uri, createContactCollection(seeded));
}
