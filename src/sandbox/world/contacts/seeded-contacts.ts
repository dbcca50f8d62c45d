// The seeded contacts of an organization: up to a million, each computed from the seed and its row when it is read. Only what is
// filtered and sorted by is held in memory.
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
import { comparable, type ContactEntry, type WordFilter } from './contact-entry.ts';

export type ContactOrder = 'created_at' | 'updated_at';
/** The fields that hold the row: a contact is found by these without an index. */
export type RowField = 'uri' | 'email' | 'phone_number';
export type SeededContacts = ReturnType<typeof createSeededContacts>;

export interface SeededContactsPlan {
  readonly seed: number;
  readonly size: number;
  readonly baseUrl: string;
  /** When the world is created, in milliseconds. */
  readonly nowMs: number;
  /** The users the contacts belong to. */
  readonly owners: readonly string[];
  readonly definitions: readonly CustomFieldDefinitionResource[];
}

/** Also the microseconds a time is rounded to, about a second: with the row added, no two contacts share a time. */
const mostRows = 2 ** 20;

/** Most contacts are created by bookings. */
const sources = ['scheduling', 'scheduling', 'manual', 'api'] as const;
const unknownResidence = { country: null, state: null, city: null, timezone: null };
const rowPatterns = {
  uri: { pattern: /\/contacts\/([\da-f]{8})-[\da-f-]{27}$/, radix: 16 },
  email: { pattern: /\.([\da-z]{4})@/, radix: 36 },
  phone_number: { pattern: /^\+1\d{3}555(\d{7})$/, radix: 10 },
} as const;

/** Rows count from 0 in the order of `created_at`. */
export function createSeededContacts(plan: SeededContactsPlan) {
  const { seed, size, baseUrl, nowMs, owners, definitions } = plan;
  if (size > mostRows) throw new RangeError(`at most ${mostRows} contacts can be seeded`);
  const share = (purpose: number, row: number): number => shareOf(seed, purpose, row);
  const hex = (purpose: number, row: number): string =>
    Math.floor(share(purpose, row) * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  /** For each row 0, for no value, or one more than an index below `count`. The square makes the first values the common ones. */
  const codes = (purpose: number, count: number, missing: number): Uint32Array =>
    Uint32Array.from({ length: size }, (_, row) =>
      share(purpose, row) < missing ? 0 : 1 + Math.floor(share(purpose + 10, row) ** 2 * count),
    );
  const columns = {
    name: codes(1, firstNames.length * lastNames.length, 0.02),
    company: codes(2, companies.length, 0.1),
    job_title: codes(3, jobTitles.length, 0.12),
    residence: codes(4, cities.length, 0.09),
  };
  const codeOf = (column: keyof typeof columns, row: number): number => columns[column][row] ?? 0;

  const firstMs = nowMs - 680 * dayMs;
  const lastMs = nowMs - hourMs;
  const stamp = (ms: number, row: number): number => Math.floor((ms * 1000) / mostRows) * mostRows + row;
  const created = (row: number): number => stamp(firstMs + ((row + share(51, row)) / size) * (lastMs - firstMs), row);
  function updated(row: number): number {
    const madeMicros = created(row);
    if (share(52, row) < 0.4) return madeMicros;
    return stamp(madeMicros / 1000 + share(53, row) * (lastMs - madeMicros / 1000), row);
  }
  function emailDates(row: number): Pick<ContactEntry, 'first_email_date' | 'last_email_date'> {
    if (share(54, row) < 0.3) return { first_email_date: null, last_email_date: null };
    const madeMs = created(row) / 1000;
    const first = madeMs + share(55, row) * (lastMs - madeMs);
    const last = first + share(56, row) * (lastMs - first);
    // Some times of a contact have no fraction, some three digits.
    const digits = share(57, row) < 0.5 ? 19 : 23;
    const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, digits)}Z`;
    return { first_email_date: text(first), last_email_date: text(last) };
  }

  function uri(row: number): string {
    const [a, b, c] = [hex(41, row), hex(42, row), hex(43, row)];
    const head = row.toString(16).padStart(8, '0');
    return `${baseUrl}/contacts/${head}-${a.slice(0, 4)}-4${a.slice(5)}-8${b.slice(1, 4)}-${b.slice(4)}${c}`;
  }
  function emails(row: number): ContactEntry['emails'] {
    const name = nameOf(codeOf('name', row)) ?? 'Hello Team';
    const local = `${name.split(' ').map(mailbox).join('.')}.${row.toString(36).padStart(4, '0')}`;
    const primary = { email: `${local}@example.test`, is_primary: true };
    return share(44, row) < 0.12 ? [primary, { email: `${local}@home.example.test`, is_primary: false }] : [primary];
  }
  /** One digit more than any number behind this prefix: none of them is in use. */
  function phoneNumbers(row: number): ContactEntry['phone_numbers'] {
    const digits = String(row).padStart(7, '0');
    const [mobile, office] = [{ phone_number: `+1202555${digits}` }, { phone_number: `+1303555${digits}` }];
    return share(45, row) < 0.15 ? [] : share(46, row) < 0.08 ? [mobile, office] : [mobile];
  }
  const rowValues = {
    uri: (row: number) => [uri(row)],
    email: (row: number) => emails(row).map(({ email }) => email),
    phone_number: (row: number) => phoneNumbers(row).map(({ phone_number }) => phone_number),
  };

  // All rows in the order of `updated_at`. The remainder of a time is its row, and sorting plain numbers is ten times as fast as
  // sorting with a comparison function.
  const byUpdate = Uint32Array.from(
    Float64Array.from({ length: size }, (_, row) => updated(row)).sort(),
    (micros) => micros % mostRows,
  );
  const copies: { [Name in keyof typeof columns]?: Uint32Array } = {};

  return {
    size,
    uri,
    entry: (row: number): ContactEntry => ({
      uri: uri(row),
      owner: itemAt(owners, Math.floor(share(61, row) * owners.length)),
      created_at: instantOfMicros(created(row)),
      updated_at: instantOfMicros(updated(row)),
      emails: emails(row),
      phone_numbers: phoneNumbers(row),
      name: nameOf(codeOf('name', row)),
      job_title: jobTitles[codeOf('job_title', row) - 1] ?? null,
      company: companies[codeOf('company', row) - 1] ?? null,
      ...(cities[codeOf('residence', row) - 1] ?? unknownResidence),
      linkedin: share(47, row) < 0.6 ? `https://network.example.test/in/${hex(41, row)}` : null,
      ...emailDates(row),
      creation_source: itemAt(sources, Math.floor(share(62, row) * sources.length)),
      values: seededValues(definitions, seed, row),
    }),
    time: (order: ContactOrder, row: number): string =>
      instantOfMicros(order === 'created_at' ? created(row) : updated(row)),
    rowOf(field: RowField, value: string): number | undefined {
      const { pattern, radix } = rowPatterns[field];
      const row = Number.parseInt(pattern.exec(value)?.[1] ?? '', radix);
      // Only the row was read: the whole value must be that of its contact.
      return row < size && rowValues[field](row).includes(value) ? row : undefined;
    },
    byUpdate,
    /** The distinct values of one field in their comparable form, and for each contact in this order the index of its value. */
    column(filter: WordFilter, order: ContactOrder): { values: readonly (string | null)[]; codes: Uint32Array } {
      const name = filter === 'name' || filter === 'company' || filter === 'job_title' ? filter : 'residence';
      if (order === 'created_at') return { values: comparableValues(filter), codes: columns[name] };
      // A copy in the other order: a scan along memory is several times as fast as one to and fro.
      const codes = (copies[name] ??= byUpdate.map((row) => codeOf(name, row)));
      return { values: comparableValues(filter), codes };
    },
  };
}

/** Names are numbered by first name, then by last name; 0 is no name. */
function nameOf(code: number): string | null {
  if (code === 0) return null;
  const first = itemAt(firstNames, Math.floor((code - 1) / lastNames.length));
  return `${first} ${itemAt(lastNames, (code - 1) % lastNames.length)}`;
}

function vocabularyOf(filter: WordFilter): readonly (string | null)[] {
  if (filter === 'name') return firstNames.flatMap((first) => lastNames.map((last) => `${first} ${last}`));
  if (filter === 'company') return companies;
  return filter === 'job_title' ? jobTitles : cities.map((city) => city[filter]);
}

const known = new Map<WordFilter, readonly (string | null)[]>();

/** The code of a value is its index; 0 is no value. Computed when a filter is first used. */
function comparableValues(filter: WordFilter): readonly (string | null)[] {
  const values =
    known.get(filter) ?? [null, ...vocabularyOf(filter)].map((value) => value && comparable(filter, value));
  known.set(filter, values);
  return values;
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
