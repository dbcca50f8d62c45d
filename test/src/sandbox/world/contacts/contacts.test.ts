// Contacts: who becomes one by booking, which meetings count for them, and what the seeded ones are like.
import { describe, expect, it } from 'vitest';
import { seededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { contactWith, type ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import {
  contactsOf,
  pickContact,
  contactRecord,
  createContact,
  ensureContact,
  updateContact,
} from '#src/sandbox/world/contacts/contacts.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { holdMeeting } from '../../../../harness/sandbox/meetings.ts';
import { openForSuite } from '../../../../harness/sandbox/suite.ts';
import { openTestSandbox } from '../../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 5, bookings: 0, rateLimits: false });

/** The sandbox's service, and every event it tells from now on. */
function listened(): { readonly service: Service; readonly sent: string[] } {
  const sent: string[] = [];
  return { service: { ...sandbox.service, emit: ({ event }) => void sent.push(event) }, sent };
}

function newcomer(email: string): ContactEntry {
  const { organization, users } = sandbox.handles;
  const details = { emails: [{ email, is_primary: true }] };
  return createContact(sandbox.service, { organization, owner: users.owner, source: 'manual', details });
}

const contactOf = (email: string): ContactEntry =>
  contactWith(contactsOf(sandbox.service, sandbox.handles.organization), email) as ContactEntry;

describe('a booking', () => {
  const visit = (service: Service, email: string) =>
    ensureContact(service, {
      organization: sandbox.handles.organization,
      owner: sandbox.handles.users.member,
      email,
      name: 'Bo Xu',
      timezone: 'Asia/Tokyo',
    });

  it('by an unknown address makes a contact of the host, once', () => {
    const { service, sent } = listened();
    for (let time = 0; time < 2; time += 1) visit(service, 'bo@example.test');
    expect(sent).toEqual(['contact.created']);
    const { owner, name, timezone, creation_source } = contactOf('bo@example.test');
    expect([owner, name, timezone, creation_source]).toEqual([
      sandbox.handles.users.member,
      'Bo Xu',
      'Asia/Tokyo',
      'scheduling',
    ]);
  });

  it('by any address of a contact, seeded or not, makes none; by one that was given up it makes another', () => {
    const { service, sent } = listened();
    const [seeded] = contactsOf(service, sandbox.handles.organization).values();
    const emails = [
      { email: 'home@example.test', is_primary: false },
      { email: 'work@example.test', is_primary: true },
    ];
    updateContact(service, newcomer('given-up@example.test'), { emails });
    for (const { email } of [...emails, ...(seeded?.emails ?? [])]) visit(service, email);
    expect(sent).toEqual(['contact.updated']);
    visit(service, 'given-up@example.test');
    expect(sent).toEqual(['contact.updated', 'contact.created']);
  });
});

describe('the dates of a contact', () => {
  it('come from meetings with its own organization only', () => {
    const { service, handles } = sandbox;
    const entry = newcomer('met@example.test');
    const other = [...service.state.users.values()].find(
      ({ current_organization }) => current_organization !== handles.organization,
    );
    holdMeeting(service, { host: other?.uri ?? '', email: 'met@example.test', daysAgo: 1 });
    expect(contactRecord(service, entry).last_meeting_date).toBeNull();
    const { start_time } = holdMeeting(service, { host: handles.users.owner, email: 'met@example.test', daysAgo: 3 });
    expect(contactRecord(service, entry)).toMatchObject({
      last_meeting_date: start_time,
      last_interaction_date: start_time,
    });
  });

  it('come from bookings made after the contact was', () => {
    const { service, handles } = sandbox;
    holdMeeting(service, { host: handles.users.owner, email: 'again@example.test' });
    const first = contactOf('again@example.test');
    expect(contactRecord(service, first).last_meeting_date).not.toBeNull();
    contactsOf(service, handles.organization).delete(first.uri);
    expect(contactRecord(service, newcomer('again@example.test')).last_meeting_date).toBeNull();
  });

  it('name the later of e-mail and meeting as the last interaction, though their fractions differ in length', async () => {
    const { service, handles } = sandbox;
    const { start_time } = holdMeeting(service, { host: handles.users.owner, email: 'mail@example.test', daysAgo: 1 });
    const entry = contactOf('mail@example.test');
    const second = start_time.slice(0, 19);
    const lastOf = (last_email_date: string) =>
      contactRecord(service, { ...entry, last_email_date }).last_interaction_date;
    // As text, the first of these comes after the meeting.
    expect(lastOf(`${second}Z`)).toBe(start_time);
    expect(lastOf(`${second}.999Z`)).toBe(`${second}.999Z`);
  });
});

describe('seeded contacts', () => {
  const plan = {
    size: 2000,
    baseUrl: 'https://sandbox.test',
    nowMs: Date.parse('2026-05-01T12:00:00Z'),
    owners: ['https://sandbox.test/users/1', 'https://sandbox.test/users/2', 'https://sandbox.test/users/3'],
    definitions: [],
  };
  const entries = [...seededContacts({ ...plan, seed: 3 })];
  const share = (holds: (entry: ContactEntry) => boolean): number => entries.filter(holds).length / entries.length;

  it('are as different as people are, leave blank about one field in ten, and have several addresses now and then', () => {
    const least = { name: 1500, company: 300, job_title: 100, city: 100, country: 40, owner: 3, creation_source: 3 };
    for (const [field, kinds] of Object.entries(least)) {
      const seen = new Set(entries.map((entry) => entry[field as keyof typeof least]));
      expect([field, seen.size >= kinds]).toEqual([field, true]);
    }
    for (const field of ['company', 'job_title', 'city', 'timezone'] as const) {
      expect(share((entry) => entry[field] === null)).toBeGreaterThan(0.05);
      expect(share((entry) => entry[field] === null)).toBeLessThan(0.2);
    }
    expect(share(({ emails }) => emails.length > 1)).toBeGreaterThan(0.05);
    expect(share(({ phone_numbers }) => phone_numbers.length === 0)).toBeGreaterThan(0.05);
  });

  it('share no address and no number, and have none that could be anyone’s', () => {
    const emails = entries.flatMap((entry) => entry.emails.map(({ email }) => email));
    const phones = entries.flatMap((entry) => entry.phone_numbers.map(({ phone_number }) => phone_number));
    expect(new Set(emails).size).toBe(emails.length);
    expect(new Set(phones).size).toBe(phones.length);
    expect(emails.filter((email) => !/^[a-z]+\.[a-z]+\.[a-z0-9]{4}@(home\.)?example\.test$/.test(email))).toEqual([]);
    expect(phones.filter((phone) => !/^\+1\d{3}555\d{7}$/.test(phone))).toEqual([]);
  });

  it('are created one after the other and updated later or never, each at a time of its own', () => {
    for (const [row, { created_at, updated_at }] of entries.entries()) {
      expect((entries[row - 1]?.created_at ?? '') < created_at).toBe(true);
      expect(created_at <= updated_at && updated_at < '2026-05-01T12:00:00').toBe(true);
    }
    expect(new Set(entries.map(({ updated_at }) => updated_at)).size).toBe(entries.length);
  });

  it('are picked by chance, and only while they exist', async () => {
    await using sandbox = await openTestSandbox({ contacts: 3, bookings: 0 });
    const { service, handles } = sandbox;
    const contacts = contactsOf(service, handles.organization);
    const picked = () => new Set(Array.from({ length: 60 }, () => pickContact(service, handles.organization)?.uri));
    expect(picked()).toEqual(new Set([...contacts.values()].map(({ uri }) => uri)));
    for (const { uri } of contacts.values()) contacts.delete(uri);
    expect(picked()).toEqual(new Set([undefined]));
  });
});
