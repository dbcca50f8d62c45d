// The address book of a seeded organization: as many contacts as asked for, spread over its team.
import { randomOf } from '#src/sandbox/random.ts';
import { createContactCollection } from '#src/sandbox/world/contacts/contact-collection.ts';
import { definitionsInUse } from '#src/sandbox/world/contacts/contacts.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { seededPeople } from './contacts-people.ts';
import type { Team } from './people.ts';

/** Its custom fields must be seeded before. */
export function seedContacts(service: Service, { organization, users }: Team, size: number): void {
  const { state, options, clock } = service;
  const people = seededPeople({
    seed: randomOf(options.seed, 'contacts', organization.name).int(0, 0xffff_ffff),
    size,
    baseUrl: options.baseUrl,
    nowMs: clock.nowMs(),
    owners: users.map(({ uri }) => uri),
    definitions: definitionsInUse(service, organization.uri),
  });
  state.contacts.set(organization.uri, createContactCollection(people));
}
