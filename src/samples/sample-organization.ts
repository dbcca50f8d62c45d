// The organization all samples of one seed belong to: its hosts, what they offer, its custom fields and its routing form.
import { makePerson } from './person.ts';
import { randomOf } from './random.ts';
import type { Random } from './random.ts';
import { serviceUrl } from './sample.ts';

export interface Host {
  readonly uri: string;
  readonly name: string;
  readonly email: string;
}

export interface Offer {
  readonly uri: string;
  readonly name: string;
  readonly slug: string;
  readonly minutes: number;
  readonly kind: 'solo' | 'group';
  readonly poolingType: 'round_robin' | 'collective' | null;
  readonly seats: number;
  readonly price: number | null;
  readonly location: 'zoom' | 'google_conference' | 'physical' | 'outbound_call';
  readonly host: Host;
}

export interface CustomField {
  readonly uri: string;
  readonly label: string;
  readonly value: (random: Random) => unknown;
}

export interface World {
  readonly seed: number;
  readonly organization: string;
  readonly hosts: readonly Host[];
  readonly offers: readonly Offer[];
  readonly customFields: readonly CustomField[];
  readonly routingForm: string;
}

type OfferPlan = readonly [name: string, minutes: number, location: Offer['location'], more?: Partial<Offer>];

const offerPlans: readonly OfferPlan[] = [
  ['Intro call', 30, 'zoom'],
  ['Product demo', 45, 'google_conference', { poolingType: 'round_robin' }],
  ['Onboarding workshop', 60, 'zoom', { kind: 'group', seats: 8 }],
  ['Coaching session', 50, 'outbound_call', { price: 120 }],
  ['Office visit', 30, 'physical', { poolingType: 'collective' }],
];

// One field of every type the specification names, so that every typed column is exercised.
const fieldPlans: readonly (readonly [label: string, value: CustomField['value']])[] = [
  ['Segment', (random) => random.pick(['enterprise', 'mid-market', 'startup'])],
  ['Plan', (random) => random.pick(['3f0c1a52-0000-4000-8000-000000000001', '3f0c1a52-0000-4000-8000-000000000002'])],
  ['Seats', (random) => random.int(1, 500)],
  ['Contract value', (random) => random.int(1_000, 90_000) * 100],
  ['Newsletter', (random) => random.chance(0.5)],
  [
    'Renewal',
    (random) => `2027-${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`,
  ],
  ['Interests', (random) => ['crm', 'api', 'billing', 'training'].filter(() => random.chance(0.4))],
  ['Notes', (random) => (random.chance(0.5) ? null : 'Prefers mornings; asked about the API.')],
];

export function makeWorld(seed: number): World {
  const random = randomOf(seed, 'world');
  const at = (folder: string): string => `${serviceUrl}/${folder}/${random.uuid()}`;
  const organization = at('organizations');
  const hosts = Array.from({ length: 4 }, (): Host => {
    const { name, email } = makePerson(random);
    return { uri: at('users'), name, email };
  });
  const offers = offerPlans.map(([name, minutes, location, more]): Offer => ({
    uri: at('event_types'),
    name,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    minutes,
    kind: 'solo',
    poolingType: null,
    seats: 1,
    price: null,
    location,
    host: random.pick(hosts),
    ...more,
  }));
  const customFields = fieldPlans.map(([label, value]) => ({
    uri: at('contacts/custom_field_definitions'),
    label,
    value,
  }));
  return { seed, organization, hosts, offers, customFields, routingForm: at('routing_forms') };
}
