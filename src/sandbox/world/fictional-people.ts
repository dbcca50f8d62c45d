// Fictional people and where they come from: every address ends in example.test, every number is reserved for fiction.
import type { TrackingResource } from '#schemas/resources/invitee.ts';
import type { Random } from '#src/sandbox/random.ts';

const firstNames = words(
  'Ada Amara Björn Chidi Dolores Emeka Fatima Gustav Hana Ines Jamal Keiko Lena Mateo Nadia Olu Priya Quinn Rosa Søren Uma',
);
const lastNames = words(
  'Adeyemi Bergström Castro Dubois Eriksen Fischer García Haddad Ito Jansen Kowalski Moreau Novák O’Brien Rossi Sato Xu',
);
const companies = [
  'Northwind Labs',
  'Harbor & Pine',
  'Kite Analytics',
  'Blue Fjord',
  'Orchard Health',
  'Tessellate',
  'Copper Lane',
  'Meridian Freight',
];
const jobTitles = [
  'Head of Operations',
  'Product Manager',
  'Founder',
  'Data Engineer',
  'Recruiter',
  'Account Executive',
  null,
];
const places = [
  { city: 'Lisbon', state: null, country: 'PT', timezone: 'Europe/Lisbon' },
  { city: 'Chicago', state: 'Illinois', country: 'US', timezone: 'America/Chicago' },
  { city: 'Berlin', state: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' },
  { city: 'Nairobi', state: null, country: 'KE', timezone: 'Africa/Nairobi' },
  { city: 'Osaka', state: 'Osaka', country: 'JP', timezone: 'Asia/Tokyo' },
  { city: 'São Paulo', state: 'SP', country: 'BR', timezone: 'America/Sao_Paulo' },
  { city: 'Auckland', state: null, country: 'NZ', timezone: 'Pacific/Auckland' },
] as const;

export interface Person {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly company: string;
  readonly jobTitle: string | null;
  readonly place: (typeof places)[number];
}

export function makePerson(random: Random): Person {
  const id = random.uuid();
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  const mailbox = `${firstName}.${lastName}`
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z.]/g, '')
    .toLowerCase();
  return {
    id,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    // Two people may share a name, never an address.
    email: `${mailbox}.${id.slice(0, 6)}@example.test`,
    phone: `+1202555${String(random.int(100, 199)).padStart(4, '0')}`,
    company: random.pick(companies),
    jobTitle: random.pick(jobTitles),
    place: random.pick(places),
  };
}

function words(text: string): readonly string[] {
  return text.split(' ');
}

/** The tags of a campaign, or none. */
export function makeTracking(random: Random): TrackingResource {
  const campaign = random.pick([null, 'spring-launch', 'newsletter', 'partners']);
  return trackingWith({
    utm_campaign: campaign,
    utm_source: campaign === null ? null : random.pick(['newsletter', 'search', 'social']),
    utm_medium: campaign === null ? null : 'email',
  });
}

type Tags = { readonly [Tag in keyof TrackingResource]?: string | null | undefined };

/** All six tags, null where none is given. */
export function trackingWith(tags: Tags = {}): TrackingResource {
  return {
    utm_campaign: tags.utm_campaign ?? null,
    utm_source: tags.utm_source ?? null,
    utm_medium: tags.utm_medium ?? null,
    utm_content: tags.utm_content ?? null,
    utm_term: tags.utm_term ?? null,
    salesforce_uuid: tags.salesforce_uuid ?? null,
  };
}
