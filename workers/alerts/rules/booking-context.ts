// Everything that rules and messages need to know about bookings, from the rows: one question for each table, however many bookings.
import { lowerCaseEmail } from '#src/store/email-case.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readColumns, readUnchecked, type StoredRow } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import { tables, type TableRow } from '#src/store/tables.ts';
import { erasureEvent } from '#workers/projections/erasure.ts';
import { hostsOf } from './filter.ts';
import { contactsByAddress, isMissed, marksByAddress } from './person-lookup.ts';
import type { Case, KnownContact, OpenMark } from './rule.ts';

type Invitee = TableRow<'invitees'>;
type ScheduledEvent = TableRow<'scheduled_events'>;

/** By the invitee's URI. Without those that are not here, and without those who were erased: nothing is said of them any more. */
export async function loadCases(from: Store | Unit, uris: readonly string[]): Promise<ReadonlyMap<string, Case>> {
  const all = await rowsBy(from, 'invitees', [...new Set(uris)]);
  const erased = await erasedAmong(
    from,
    [...all.values()].filter(({ email }) => email === null).map(({ uri }) => uri ?? ''),
  );
  const invitees = [...all.values()].filter(({ uri }) => !erased.has(uri ?? ''));
  const addresses = distinct(invitees.map(addressOf));
  const events = await rowsBy(from, 'scheduled_events', distinct(invitees.map(({ event_uri: uri }) => uri)));
  const types = await rowsBy(from, 'event_types', distinct([...events.values()].map(({ event_type: uri }) => uri)));
  const zones = await zonesOf(from, [...events.values()]);
  const contacts = await contactsOf(from, addresses);
  const marks = await marksByAddress(from, addresses);
  return new Map(
    invitees.map((invitee) => {
      const event = events.get(invitee.event_uri ?? '');
      const address = addressOf(invitee);
      return [
        invitee.uri ?? '',
        {
          invitee,
          event,
          eventTypeName: types.get(event?.event_type ?? '')?.name ?? null,
          hostTimezone: zones.get(firstHostOf(event) ?? '') ?? null,
          contact: address === undefined ? undefined : contacts.get(address),
          marks: address === undefined ? ownMarks(invitee) : (marks.get(address) ?? []),
        },
      ];
    }),
  );
}

export const addressOf = ({ email }: Pick<Invitee, 'email'>): string | undefined =>
  email === null ? undefined : lowerCaseEmail(email);

const ownMarks = (invitee: Invitee): readonly OpenMark[] =>
  isMissed(invitee)
    ? [
        {
          inviteeUri: invitee.uri ?? '',
          noShowUri: invitee.no_show_uri ?? '',
          markedAt: invitee.no_show_at ?? '',
        },
      ]
    : [];

/** What an alert never speaks of, and is long. */
const unread = new Set(['body', 'lagging', 'version', 'no_show_facts', 'questions_and_answers']);

async function rowsBy<Name extends 'contacts' | 'event_types' | 'invitees' | 'scheduled_events'>(
  from: Store | Unit,
  table: Name,
  uris: readonly string[],
): Promise<ReadonlyMap<string, TableRow<Name>>> {
  const names = Object.keys(tables[table].columns);
  const blank: StoredRow = Object.fromEntries(names.map((name) => [name, null]));
  const columns = names.filter((name) => !unread.has(name));
  const rows = await readUnchecked(from, table, { columns, key: 'uri', values: uris });
  return new Map(rows.map((row) => [String(row['uri']), { ...blank, ...row } as unknown as TableRow<Name>]));
}

/** Whoever was erased has no address any more: nobody else is asked for. */
async function erasedAmong({ db }: Store | Unit, uris: readonly string[]): Promise<ReadonlySet<string>> {
  const erased = new Set<string>();
  for (const chunk of chunks(uris)) {
    const rows = await db
      .selectFrom('event_log')
      .select('subject_uri')
      .where('subject_uri', 'in', chunk)
      .where('source', '=', 'operator')
      .where('event', '=', erasureEvent)
      .execute();
    for (const { subject_uri: uri } of rows) erased.add(String(uri));
  }
  return erased;
}

const firstHostOf = (event: ScheduledEvent | undefined): string | undefined => hostsOf({ event })[0]?.uri;

async function zonesOf(
  from: Store | Unit,
  events: readonly ScheduledEvent[],
): Promise<ReadonlyMap<string, string | null>> {
  const values = distinct(events.map(firstHostOf));
  const users = await readColumns(from, 'users', { columns: ['uri', 'timezone'], key: 'uri', values });
  return new Map(users.map(({ uri, timezone }) => [uri, timezone as string | null]));
}

/** Of several contacts with one address the likeliest that is not deleted. */
async function contactsOf(
  from: Store | Unit,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, KnownContact>> {
  const byAddress = await contactsByAddress(from, addresses);
  const uris = distinct([...byAddress.values()].flat());
  const rows = await rowsBy(from, 'contacts', uris);
  const values = await readColumns(from, 'contact_custom_fields', {
    columns: ['contact_uri', 'label', 'value'],
    key: 'contact_uri',
    values: uris,
  });
  const fields = Map.groupBy(values, ({ contact_uri: uri }) => uri);
  const known = new Map<string, KnownContact>();
  for (const [address, candidates] of byAddress) {
    const row = candidates.flatMap((uri) => rows.get(uri) ?? []).find(({ deleted_at: at }) => at === null);
    if (row === undefined) continue;
    const own = fields.get(row.uri ?? '') ?? [];
    known.set(address, { row, fields: new Map(own.map(({ label, value }) => [String(label), value])) });
  }
  return known;
}

const distinct = (values: readonly (string | null | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== null && value !== undefined)),
];
