// Turns about contacts: changed, deleted. They are created when somebody new books.
import { deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import type { Turn } from './turn.ts';

const titles = ['Director', 'Team Lead', 'Consultant', 'Head of Operations', null];
const cities = ['Lisbon', 'Nairobi', 'Osaka', 'Auckland'];

export const changeSomeone: Turn = ({ service, organization }) => {
  const { random, state } = service;
  const contact = state.contacts.get(organization)?.pick(random.next());
  if (contact === undefined) return;
  updateContact(
    service,
    contact,
    random.chance(0.5) ? { job_title: random.pick(titles) } : { city: random.pick(cities) },
  );
};

export const dropSomeone: Turn = ({ service, organization }) => {
  const contact = service.state.contacts.get(organization)?.pick(service.random.next());
  if (contact) deleteContact(service, contact);
};
