// Fictional people and where they come from: every address ends in example.test, every number is reserved for fiction.
import type { TrackingResource } from '#schemas/resources/invitee.ts';
import type { Random } from '#src/sandbox/random.ts';
import { given } from './service.ts';
import { cities, companies, firstNames, jobTitles, lastNames } from './vocabulary.ts';

export type Person = ReturnType<typeof makePerson>;

export function makePerson(random: Random) {
  const id = random.uuid();
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  return {
    id,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    // Two people may share a name, but not an address.
    email: `${mailbox(firstName)}.${mailbox(lastName)}.${id.slice(0, 6)}@example.test`,
    phone: `+1202555${String(random.int(100, 199)).padStart(4, '0')}`,
    company: random.pick(companies),
    jobTitle: random.pick(jobTitles),
    residence: random.pick(cities),
  };
}

const letters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae' };

/** A name as the part of an e-mail address: lower-case, letters a to z only. */
export function mailbox(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[øłıßæ]/g, (letter) => letters[letter] ?? '')
    .replaceAll(/[^a-z]/g, '');
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

const noTags: TrackingResource = {
  utm_campaign: null,
  utm_source: null,
  utm_medium: null,
  utm_content: null,
  utm_term: null,
  salesforce_uuid: null,
};

/** All six tags, null where none is given. */
export function trackingWith(
  tags: { readonly [Tag in keyof TrackingResource]?: string | null | undefined } = {},
): TrackingResource {
  return { ...noTags, ...given(tags) };
}
