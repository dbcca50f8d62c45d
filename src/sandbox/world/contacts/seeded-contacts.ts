// The contacts an organization is seeded with, each computed from the seed and its row.
import type { CustomFieldDefinitionResource, CustomFieldValue } from '#schemas/resources/contact.ts';
import { dayMs, hourMs, instantOfMicros } from '#src/sandbox/clock.ts';
import { itemAt } from '#src/sandbox/random.ts';
import {
  mailbox,
  cities,
  companies,
  firstNames,
  interests,
  jobTitles,
  lastNames,
  notes,
  referrals,
} from '#src/sandbox/world/fictional-people.ts';
import type { ContactEntry } from './contact-entry.ts';

/** The microseconds a time is rounded to, about a second: with the row added, no two contacts share a time. */
const roundedTo = 2 ** 20;

/** Most contacts are created by bookings. */
const sources = ['scheduling', 'scheduling', 'manual', 'api'] as const;
const unknownResidence = { country: null, state: null, city: null, timezone: null };

/** Rows count from 0 in the order of `created_at`. */
export function* seededContacts(plan: {
  readonly seed: number;
  readonly size: number;
  readonly baseUrl: string;
  readonly nowMs: number;
  readonly owners: readonly string[];
  readonly definitions: readonly CustomFieldDefinitionResource[];
}): Generator<ContactEntry> {
  const { seed, size, baseUrl, nowMs, owners, definitions } = plan;
  const firstMs = nowMs - 680 * dayMs;
  const lastMs = nowMs - hourMs;
  for (let row = 0; row < size; row += 1) {
    const share = (purpose: number): number => shareOf(seed, purpose, row);
    const stamp = (ms: number): number => Math.floor((ms * 1000) / roundedTo) * roundedTo + row;
    const created = stamp(firstMs + ((row + share(51)) / size) * (lastMs - firstMs));
    const updated = share(52) < 0.4 ? created : stamp(created / 1000 + share(53) * (lastMs - created / 1000));
    const name = chosen(share, { purpose: 1, count: firstNames.length * lastNames.length, missing: 0.02 });
    const company = chosen(share, { purpose: 2, count: companies.length, missing: 0.1 });
    const jobTitle = chosen(share, { purpose: 3, count: jobTitles.length, missing: 0.12 });
    const residence = chosen(share, { purpose: 4, count: cities.length, missing: 0.09 });
    const fullName = name === undefined ? null : nameAt(name);
    yield {
      uri: `${baseUrl}/contacts/${uuidOf(share, row)}`,
      owner: pick(owners, share(61)),
      created_at: instantOfMicros(created),
      updated_at: instantOfMicros(updated),
      emails: emailsOf(share, row, fullName ?? 'Hello Team'),
      phone_numbers: phoneNumbersOf(share, row),
      name: fullName,
      job_title: jobTitle === undefined ? null : itemAt(jobTitles, jobTitle),
      company: company === undefined ? null : itemAt(companies, company),
      ...(residence === undefined ? unknownResidence : itemAt(cities, residence)),
      linkedin: share(47) < 0.6 ? `https://network.example.test/in/${hexOf(share(41))}` : null,
      ...emailDates(share, created / 1000, lastMs),
      creation_source: pick(sources, share(62)),
      values: seededValues(definitions, seed, row),
    };
  }
}

type Share = (purpose: number) => number;

/** An index below `count`, or undefined for no value. The square makes the first values the common ones. */
function chosen(
  share: Share,
  { purpose, count, missing }: { readonly purpose: number; readonly count: number; readonly missing: number },
): number | undefined {
  return share(purpose) < missing ? undefined : Math.floor(share(purpose + 10) ** 2 * count);
}

/** Names are numbered by first name, then by last name. */
const nameAt = (index: number): string =>
  `${itemAt(firstNames, Math.floor(index / lastNames.length))} ${itemAt(lastNames, index % lastNames.length)}`;

const hexOf = (share: number): string =>
  Math.floor(share * 2 ** 32)
    .toString(16)
    .padStart(8, '0');

function uuidOf(share: Share, row: number): string {
  const [a, b, c] = [hexOf(share(41)), hexOf(share(42)), hexOf(share(43))];
  const head = row.toString(16).padStart(8, '0');
  return `${head}-${a.slice(0, 4)}-4${a.slice(5)}-8${b.slice(1, 4)}-${b.slice(4)}${c}`;
}

function emailsOf(share: Share, row: number, name: string): ContactEntry['emails'] {
  const local = `${name.split(' ').map(mailbox).join('.')}.${row.toString(36).padStart(4, '0')}`;
  const primary = { email: `${local}@example.test`, is_primary: true };
  return share(44) < 0.12 ? [primary, { email: `${local}@home.example.test`, is_primary: false }] : [primary];
}

/** One digit more than any number behind this prefix: none of them is in use. */
function phoneNumbersOf(share: Share, row: number): ContactEntry['phone_numbers'] {
  const digits = String(row).padStart(7, '0');
  const [mobile, office] = [{ phone_number: `+1202555${digits}` }, { phone_number: `+1303555${digits}` }];
  return share(45) < 0.15 ? [] : share(46) < 0.08 ? [mobile, office] : [mobile];
}

function emailDates(
  share: Share,
  createdMs: number,
  lastMs: number,
): Pick<ContactEntry, 'first_email_date' | 'last_email_date'> {
  if (share(54) < 0.3) return { first_email_date: null, last_email_date: null };
  const first = createdMs + share(55) * (lastMs - createdMs);
  const last = first + share(56) * (lastMs - first);
  // Some times of a contact have no fraction, some three digits.
  const digits = share(57) < 0.5 ? 19 : 23;
  const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, digits)}Z`;
  return { first_email_date: text(first), last_email_date: text(last) };
}

/** A number from 0 (inclusive) to 1 (exclusive) that depends on the seed, the row and the purpose alone. */
function shareOf(seed: number, purpose: number, row: number): number {
  let bits = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x7feb352d) ^ seed;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 16) ^ purpose, 0x846ca68b);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}

const pick = <Item>(items: readonly Item[], share: number): Item => itemAt(items, Math.floor(share * items.length));
const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');

/** A value of each type of custom field, by a number from 0 (inclusive) to 1 (exclusive). */
const customValues = {
  text: (_, share) => pick(notes, share),
  single_select: ({ options = [] }, share) => pick(options, share).uuid,
  number: (_, share) => 1 + Math.floor(share * 500),
  currency: (_, share) => Math.floor(share * 2_000_000),
  date: (_, share) => `2027-${two(1 + share * 12)}-${two(1 + ((share * 1000) % 1) * 28)}`,
  tags: (_, share) => interests.slice(Math.floor(share * 4), Math.floor(share * 4) + 1 + Math.floor((share * 100) % 3)),
  invitee_question: (_, share) => pick(referrals, share),
} as const satisfies Record<
  CustomFieldDefinitionResource['field_type'],
  (definition: CustomFieldDefinitionResource, share: number) => CustomFieldValue
>;

/** Most custom fields are set. */
export function seededValues(
  definitions: readonly CustomFieldDefinitionResource[],
  seed: number,
  row: number,
): ReadonlyMap<string, CustomFieldValue> {
  const set = definitions.filter((_, index) => shareOf(seed, 100 + index, row) >= 0.2);
  return new Map(
    set.map((definition) => {
      const share = shareOf(seed, 200 + definitions.indexOf(definition), row);
      return [definition.uri, customValues[definition.field_type](definition, share)];
    }),
  );
}
