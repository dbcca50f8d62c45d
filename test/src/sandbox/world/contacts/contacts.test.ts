// Contacts: which bookings make one, and that seeded ones have no address or number of a real person.
import { expect, it } from 'vitest';
import { seededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { contactsOf, createContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { holdMeeting } from '../../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 5, bookings: 0, rateLimits: false });

function newcomer(email: string): ContactEntry {
  const { organization, users } = sandbox.handles;
  const details = { emails: [{ email, is_primary: true }] };
  return createContact(sandbox.service, { organization, owner: users.owner, source: 'manual', details });
}
const meet = (email: string) => holdMeeting(sandbox.service, { host: sandbox.handles.users.owner, email });

it('a booking by any address of a contact, seeded or not, makes none; one by an address that was given up makes another', () => {
  const contacts = contactsOf(sandbox.service, sandbox.handles.organization);
  const [seeded] = contacts.values();
  const emails = ['home', 'work'].map((name) => ({ email: `${name}@example.test`, is_primary: name === 'work' }));
  updateContact(sandbox.service, newcomer('given-up@example.test'), { emails });
  const { size } = contacts;
  for (const { email } of [...emails, ...(seeded?.emails ?? [])]) meet(email);
  expect(contacts.size).toBe(size);
  meet('given-up@example.test');
  expect(contacts.size).toBe(size + 1);
});

it('seeded contacts share no address and no number, and have none that could be anyone’s', () => {
  const owners = ['https://sandbox.test/users/1'];
  const plan = { size: 2000, baseUrl: 'https://sandbox.test', nowMs: Date.parse('2026-05-01T12:00:00Z'), owners };
  const entries = [...seededContacts({ ...plan, definitions: [], seed: 3 })];
  const emails = entries.flatMap((entry) => entry.emails.map(({ email }) => email));
  const phones = entries.flatMap((entry) => entry.phone_numbers.map(({ phone_number }) => phone_number));
  expect([new Set(emails).size, new Set(phones).size]).toEqual([emails.length, phones.length]);
  expect(emails.filter((email) => !/^[a-z]+\.[a-z]+\.[a-z0-9]{4}@(home\.)?example\.test$/.test(email))).toEqual([]);
  expect(phones.filter((phone) => !/^\+1\d{3}555\d{7}$/.test(phone))).toEqual([]);
});
