// Seeded contacts: each a function of the seed, its row and the time the world was opened, made when it is looked at.
import { instantOfMicros } from '#src/sandbox/clock.ts';
import type { SeededContacts } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';
import { chosen } from './row-permutation.ts';
import { createColumns } from './contacts-columns.ts';
import { createNames } from './contacts-names.ts';
import type { NamesPlan } from './contacts-names.ts';
import { createTimes, mostRows } from './contacts-times.ts';
import type { TimesPlan } from './contacts-times.ts';
import { seededValues } from './contacts-values.ts';

export interface PeoplePlan extends NamesPlan, TimesPlan {
  /** The users they belong to. */
  readonly owners: readonly string[];
  readonly definitions: readonly StoredDefinition[];
}

/** Bookings make most contacts. */
const sources = ['scheduling', 'scheduling', 'manual', 'api'] as const;

export function seededPeople(plan: PeoplePlan): SeededContacts {
  const { seed, size, owners, definitions } = plan;
  if (size > mostRows) throw new RangeError(`at most ${mostRows} contacts can be seeded`);
  const columns = createColumns(seed, size);
  const names = createNames(plan, columns.words);
  const times = createTimes(plan);
  const pick = <Item>(items: readonly Item[], purpose: number, row: number): Item =>
    items[chosen(seed, purpose, row) % items.length] as Item;
  const sorting = times.rowsByUpdate();
  let byUpdate: Uint32Array | undefined;
  function prepare(): boolean {
    if (byUpdate !== undefined) return false;
    const { done, value } = sorting.next();
    if (done === true) byUpdate = value;
    return done !== true;
  }
  function rowsByUpdate(): Uint32Array {
    while (prepare());
    return byUpdate as Uint32Array;
  }

  return {
    size,
    entry(row): ContactEntry {
      const { firstName, lastName, company, jobTitle, place } = columns.words(row);
      return {
        uri: names.uri(row),
        owner: pick(owners, 61, row),
        created_at: instantOfMicros(times.created(row)),
        updated_at: instantOfMicros(times.updated(row)),
        emails: names.emails(row),
        phone_numbers: names.phones(row),
        name: firstName === null ? null : `${firstName} ${lastName}`,
        job_title: jobTitle,
        company,
        ...place,
        linkedin: names.linkedin(row),
        ...times.mailDates(row),
        creation_source: pick(sources, 62, row),
        values: seededValues(definitions, seed, row),
      };
    },
    uri: names.uri,
    time: (order, row) => instantOfMicros(order === 'created_at' ? times.created(row) : times.updated(row)),
    rowOf: names.rowOf,
    get byUpdate() {
      return rowsByUpdate();
    },
    prepare,
    columns: (order, search) => columns.wantedBy(search, order === 'updated_at' ? rowsByUpdate() : undefined),
  };
}
