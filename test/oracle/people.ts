// The people that contacts and bookings make, the plain way: contacts are joined with a union-find, one address after the other. And those who
// filled in a routing form and did not book.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';
import { byUri, isSameAddress, journeysOf, listOf, lowered, orNull, tags, textIn, type Journey } from './journeys.ts';

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);
const addressOf = (row: StoredRow): string | null => textOf(row['email']) && lowered(String(row['email']));
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const first = (times: readonly (string | null)[]): string | null =>
  times.filter((each) => each !== null).toSorted()[0] ?? null;
const last = (times: readonly (string | null)[]): string | null =>
  times
    .filter((each) => each !== null)
    .toSorted()
    .at(-1) ?? null;

/** By the time of creation, one without it last, then by URI. */
const oldestFirst = (rows: readonly StoredRow[]): StoredRow[] =>
  rows.toSorted(
    (a, b) =>
      byBytes(String(a['created_at'] ?? '9999'), String(b['created_at'] ?? '9999')) ||
      byBytes(String(a['uri']), String(b['uri'])),
  );

export function peopleOf(contents: Contents, now: string, most = 20): StoredRow[] {
  const contacts = oldestFirst((contents.contacts ?? []).filter((contact) => contact['deleted_at'] === null));
  const rank = new Map(contacts.map((contact, index) => [String(contact['uri']), index]));
  const holders = new Map<string, Set<number>>();
  const entries = new Map<string, number>();
  for (const row of contents.contact_emails ?? []) {
    const address = addressOf(row);
    const holder = rank.get(String(row['contact_uri']));
    if (address === null || holder === undefined) continue;
    holders.set(address, (holders.get(address) ?? new Set()).add(holder));
    entries.set(address, (entries.get(address) ?? 0) + 1);
  }
  for (const [address, count] of entries) if (count > most) holders.delete(address);
  // The root of a group is its oldest contact.
  const roots = contacts.map((_, index) => index);
  const rootOf = (index: number): number => (roots[index] === index ? index : rootOf(roots[index] as number));
  for (const group of holders.values()) {
    const joined = [...group].map(rootOf);
    for (const root of joined) roots[root] = Math.min(...joined);
  }
  const sizes = Map.groupBy(contacts.keys(), rootOf);
  const personOf = (index: number): number => ((sizes.get(rootOf(index))?.length ?? 0) > most ? index : rootOf(index));
  const addresses = Map.groupBy(holders.keys(), (address) => personOf(Math.min(...(holders.get(address) ?? []))));
  const members = Map.groupBy(contacts.keys(), personOf);
  const others = Map.groupBy(
    oldestFirst(contents.invitees ?? []).filter(
      (row) => addressOf(row) !== null && !holders.has(String(addressOf(row))),
    ),
    (row) => String(addressOf(row)),
  );
  const journeys = journeysOf(contents, now);
  return [
    ...[...members].map(([person, indexes]) => {
      const own = indexes.map((index) => contacts[index] as StoredRow);
      return personRow(contents, journeys, { own, emails: (addresses.get(person) ?? []).toSorted(byBytes) });
    }),
    ...[...others].map(([address, [booking]]) =>
      personRow(contents, journeys, { own: [], booking, emails: [address] }),
    ),
  ];
}

interface Person {
  /** The contacts, the oldest first. */
  readonly own: readonly StoredRow[];
  /** The first booking, where there is no contact. */
  readonly booking?: StoredRow | undefined;
  readonly emails: readonly string[];
}

function personRow(contents: Contents, journeys: readonly Journey[], { own, booking, emails }: Person): StoredRow {
  const { invitees = [] } = contents;
  const [oldest] = own;
  const bookings = oldestFirst(invitees.filter((row) => emails.includes(String(addressOf(row)))));
  const submissions = byUri(contents.routing_form_submissions);
  const ended = journeys.filter((journey) => emails.includes(String(addressOf(journey.last))));
  const having = (wanted: string) => ended.filter(({ outcome }) => outcome === wanted);
  const starts = (...wanted: readonly string[]) =>
    times(
      wanted.flatMap(having).map(({ lastEvent }) => lastEvent),
      'start_time',
    );
  const latest = (column: string) =>
    bookings
      .filter((row) => textOf(row[column]) !== null)
      .toSorted(
        (a, b) =>
          byBytes(String(b['created_at'] ?? ''), String(a['created_at'] ?? '')) ||
          byBytes(String(b['uri']), String(a['uri'])),
      )[0]?.[column] ?? null;
  const times = (rows: readonly (StoredRow | undefined)[], column: string) => rows.map((row) => textOf(row?.[column]));
  const submitted = bookings.map((row) => submissions.get(String(row['routing_form_submission'])));
  return {
    person: (oldest ?? booking)?.['uri'] ?? null,
    contact_uri: oldest?.['uri'] ?? null,
    name: textOf(oldest?.['name']) ?? latest('name'),
    primary_email: oldest?.['primary_email'] ?? emails[0] ?? null,
    emails: [...emails],
    contacts: own.length,
    contact_uris: own.map(({ uri }) => String(uri)).toSorted(byBytes),
    first_touch: first([
      ...times(own, 'created_at'),
      ...times(own, 'first_email_date'),
      ...times(bookings, 'created_at'),
      ...times(submitted, 'created_at'),
    ]),
    last_touch: last([
      ...times(own, 'created_at'),
      ...times(own, 'last_email_date'),
      ...times(bookings, 'created_at'),
      ...starts('came', 'unknown'),
    ]),
    bookings: ended.length,
    came: having('came').length,
    unknown: having('unknown').length,
    no_shows: having('no_show').length,
    last_campaign: latest('utm_campaign'),
    next_meeting: first(starts('upcoming')),
    last_meeting: last(starts('came', 'unknown')),
  };
}

const trimmed = (text: string): string => text.replaceAll(/^ +| +$/g, '');

/** Submissions of routing forms without a booking. */
export function unbookedOf(contents: Contents): StoredRow[] {
  const { routing_form_submissions: submissions = [], routing_form_answers: answers = [], invitees = [] } = contents;
  const isUnbooked = (row: StoredRow) =>
    row['result_type'] === 'event_type' && !invitees.some((one) => one['routing_form_submission'] === row['uri']);
  return submissions.filter(isUnbooked).map((row) => {
    const form = byUri(contents.routing_forms).get(String(row['routing_form']));
    const eventType = textIn(row['result'] ?? null, 'value');
    const given = answers
      .filter((answer) => answer['submission_uri'] === row['uri'] && answer['answer'] !== null)
      .toSorted((a, b) => Number(a['item']) - Number(b['item']))
      .map((answer) => ({ ...answer, text: trimmed(String(answer['answer'])) }) as Record<string, Json>);
    const typeOf = (uuid: Json | undefined) => {
      const question = listOf(form?.['questions']).find((one) => uuid !== null && textIn(one, 'uuid') === uuid);
      return question === undefined ? null : textIn(question, 'type');
    };
    const asksName = ({ question }: Record<string, Json>) =>
      /^(name|your name|full name|your full name)$/.test(lowered(trimmed(String(question))));
    const isName = (answer: Record<string, Json>) =>
      answer['text'] !== '' && (typeOf(answer['question_uuid']) ?? (asksName(answer) ? 'name' : null)) === 'name';
    const email = given.find(({ text }) => /^[^ @]+@[^ @]+$/s.test(String(text)))?.['text'];
    const later = invitees
      .filter((one) => isSameAddress(one['email'], email))
      .filter(
        (one) =>
          one['created_at'] !== null &&
          row['created_at'] !== null &&
          String(one['created_at']) >= String(row['created_at']),
      )
      .toSorted((a, b) => (`${a['created_at']} ${a['uri']}` < `${b['created_at']} ${b['uri']}` ? -1 : 1));
    return {
      submission_uri: orNull(row['uri']),
      routing_form: orNull(row['routing_form']),
      routing_form_name: orNull(form?.['name']),
      created_at: orNull(row['created_at']),
      event_type: eventType,
      event_type_name: orNull(byUri(contents.event_types).get(String(eventType))?.['name']),
      submitter: orNull(row['submitter']),
      submitter_type: orNull(row['submitter_type']),
      name: orNull(given.find(isName)?.['text']),
      email: orNull(email),
      booked_otherwise: orNull(later[0]?.['uri']),
      answers: orNull(row['questions_and_answers']),
      ...Object.fromEntries(tags.map((tag) => [tag, orNull(row[tag])])),
    };
  });
}
