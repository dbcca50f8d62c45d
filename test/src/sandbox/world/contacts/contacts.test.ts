// Contacts: who becomes one by booking, which meetings count for them, and that nobody could be meant by the seeded ones.
import { expect, it } from 'vitest';
import { seededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { contactWith, type ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { contactsOf, contactRecord, createContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { holdMeeting } from '../../../../harness/sandbox/meetings.ts';
import { openForSuite } from '../../../../harness/sandbox/suite.ts';

const sandbox = openForSuite({ contacts: 5, bookings: 0, rateLimits: false });

function newcomer(email: string): ContactEntry {
  const { organization, users } = sandbox.handles;
  const details = { emails: [{ email, is_primary: true }] };
  return createContact(sandbox.service, { organization, owner: users.owner, source: 'manual', details });
}
const contactOf = (email: string): ContactEntry =>
  contactWith(contactsOf(sandbox.service, sandbox.handles.organization), email) as ContactEntry;
const meet = (email: string, daysAgo = 1, host = sandbox.handles.users.owner): string =>
  holdMeeting(sandbox.service, { host, email, daysAgo }).start_time;
const datesOf = (entry: ContactEntry) => contactRecord(sandbox.service, entry);

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

it('the dates of a contact come from meetings with its own organization only', () => {
  const { service, handles } = sandbox;
  const entry = newcomer('met@example.test');
  const users = service.state.users.values();
  const other = users.find(({ current_organization }) => current_organization !== handles.organization);
  meet('met@example.test', 1, other?.uri);
  expect(datesOf(entry).last_meeting_date).toBeNull();
  const start_time = meet('met@example.test', 3);
  expect(datesOf(entry)).toMatchObject({ last_meeting_date: start_time, last_interaction_date: start_time });
});

it('the dates of a contact come from bookings made after the contact was', () => {
  meet('again@example.test');
  const first = contactOf('again@example.test');
  expect(datesOf(first).last_meeting_date).not.toBeNull();
  contactsOf(sandbox.service, sandbox.handles.organization).delete(first.uri);
  expect(datesOf(newcomer('again@example.test')).last_meeting_date).toBeNull();
});

it('the last interaction is the later of e-mail and meeting, though their fractions differ in length', () => {
  const start_time = meet('mail@example.test');
  const entry = contactOf('mail@example.test');
  const second = start_time.slice(0, 19);
  // As text, the first of these comes after the meeting.
  for (const [last_email_date, expected] of [
    [`${second}Z`, start_time],
    [`${second}.999Z`, `${second}.999Z`],
  ] as const)
    expect(datesOf({ ...entry, last_email_date }).last_interaction_date).toBe(expected);
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
