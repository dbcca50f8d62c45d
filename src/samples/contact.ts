// A contact in the address book, with one value for every custom field the organization defines.
import type { Person } from './person.ts';
import type { Random } from './random.ts';
import { serviceUrl } from './sample.ts';
import type { JsonRecord } from './sample.ts';
import type { World } from './sample-organization.ts';

export interface ContactCard {
  readonly uri: string;
  readonly person: Person;
  readonly createdMs: number;
  readonly customFields: JsonRecord[];
  updatedMs: number;
  jobTitle: string | null;
  company: string | null;
  secondEmail: string | null;
  phone: string | null;
}

export function makeContact(world: World, random: Random, made: { person: Person; atMs: number }): ContactCard {
  const { person, atMs } = made;
  return {
    uri: `${serviceUrl}/contacts/${person.id}`,
    person,
    createdMs: atMs,
    updatedMs: atMs,
    customFields: world.customFields.map(({ uri, label, value }) => ({ uri, label, value: value(random) })),
    jobTitle: person.jobTitle,
    company: person.company,
    secondEmail: null,
    phone: person.phone,
  };
}

/** One small change, as a person would make it. A cleared value is sent as null, which differs from an absent one. */
export function changeContact(world: World, random: Random, change: { card: ContactCard; atMs: number }): void {
  const { card, atMs } = change;
  card.updatedMs = atMs;
  const turn = random.int(0, 3);
  if (turn === 0) card.jobTitle = random.chance(0.2) ? null : random.pick(['Director', 'Team Lead', 'Consultant']);
  else if (turn === 1)
    card.secondEmail = `${card.person.lastName.toLowerCase().replaceAll(/[^a-z]/g, '')}.home@example.test`;
  else if (turn === 2) card.phone = random.chance(0.3) ? null : card.person.phone;
  else {
    const index = random.int(0, world.customFields.length - 1);
    const field = world.customFields[index];
    if (field) card.customFields[index] = { uri: field.uri, label: field.label, value: field.value(random) };
  }
}

export function contactRecord(card: ContactCard): JsonRecord {
  const { person } = card;
  const emails = [{ email: person.email, is_primary: true }];
  return {
    uri: card.uri,
    name: person.name,
    emails: card.secondEmail === null ? emails : [...emails, { email: card.secondEmail, is_primary: false }],
    phone_numbers: card.phone === null ? [] : [{ phone_number: card.phone }],
    timezone: person.place.timezone,
    job_title: card.jobTitle,
    company: card.company,
    country: person.place.country,
    state: person.place.state,
    city: person.place.city,
    linkedin: `https://network.example.test/in/${person.id.slice(0, 8)}`,
    creation_source: 'scheduling',
    custom_fields: [...card.customFields],
    // Contact times carry none or three fractional digits where others carry six.
    created_at: new Date(card.createdMs).toISOString(),
    updated_at: new Date(card.updatedMs).toISOString(),
    first_email_date: null,
    last_email_date: null,
    next_meeting_date: null,
    last_meeting_date: null,
    last_interaction_date: null,
  };
}
