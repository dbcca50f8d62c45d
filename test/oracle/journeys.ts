// Journeys computed the plain way: from each invitee walk back to where it began, then look at the last of each journey.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';

export interface Journey {
  readonly root: string;
  /** Mirrored, in order. */
  readonly members: readonly StoredRow[];
  readonly first: StoredRow;
  readonly last: StoredRow;
  readonly firstEvent: StoredRow | undefined;
  readonly lastEvent: StoredRow | undefined;
  readonly moves: number;
  readonly outcome: string | null;
  readonly canceler: Json;
  readonly canceledAt: Json;
  readonly noticeSeconds: number | null;
  readonly attendance: string | null;
  readonly attendance_basis: string | null;
  readonly ended_at: Json;
}

export const byUri = (rows: readonly StoredRow[] | undefined) =>
  new Map((rows ?? []).map((row) => [String(row['uri']), row]));
export const secondsBetween = (from: Json | undefined, to: Json | undefined): number | null =>
  typeof from === 'string' && typeof to === 'string'
    ? Math.floor(Date.parse(to) / 1000) - Math.floor(Date.parse(from) / 1000)
    : null;
export const textIn = (value: Json | undefined, key: string): string | null => {
  const part =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, Json>)[key] : null;
  return typeof part === 'string' ? part : null;
};

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const orNull = (value: Json | undefined): Json => value ?? null;
export const tags = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];

export const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
/** Only ASCII letters compare case-insensitively. */
export const isSameAddress = (a: Json | undefined, b: Json | undefined): boolean =>
  typeof a === 'string' && typeof b === 'string' && lowered(a) === lowered(b);

/** The contact with an address: of several, one whose primary address it is, then the first by URI. */
export function contactOf({ contacts = [] }: Contents, address: Json | undefined): Json {
  const sameAddress = (item: Json) => isSameAddress(textIn(item, 'email'), address);
  const having = contacts
    .filter((contact) => contact['deleted_at'] === null && listOf(contact['emails']).some(sameAddress))
    .toSorted((a, b) => (String(a['uri']) < String(b['uri']) ? -1 : 1));
  const isPrimary = (item: Json) =>
    sameAddress(item) && typeof item === 'object' && item !== null && 'is_primary' in item && item.is_primary === true;
  const primary = having.find((contact) => listOf(contact['emails']).some(isPrimary));
  return orNull((primary ?? having[0])?.['uri']);
}

export function journeysOf(contents: Contents, now: string): Journey[] {
  const invitees = byUri(contents.invitees);
  const events = byUri(contents.scheduled_events);
  const places = placesOf(invitees);
  const roots = new Map<string, string[]>();
  for (const [uri, { root }] of places) roots.set(root, [...(roots.get(root) ?? []), uri]);
  return [...roots].flatMap(([root, uris]) => {
    const depthOf = (row: StoredRow) => places.get(String(row['uri']))?.depth as number;
    const members = uris
      .map((uri) => invitees.get(uri))
      .filter((row) => row !== undefined)
      .toSorted((a, b) => {
        const orderOf = (row: StoredRow) =>
          [String(depthOf(row)).padStart(9, '0'), row['created_at'] ?? '~', row['uri']].join(' ');
        return orderOf(a) < orderOf(b) ? -1 : 1;
      });
    const [first] = members;
    const last = members.at(-1);
    if (first === undefined || last === undefined) return [];
    const deepest = Math.max(...uris.map((uri) => places.get(uri)?.depth as number));
    const lastEvent = events.get(String(last['event_uri']));
    // An invitee without a meeting is no booking.
    if (lastEvent === undefined) return [];
    const movedOn = last['rescheduled'] === true || Boolean(last['new_invitee']);
    const canceler = last['canceler_type'] ?? textIn(lastEvent['cancellation'], 'canceler_type');
    const canceledAt = orNull(last['canceled_at'] ?? lastEvent['canceled_at']);
    const noticeSeconds = secondsBetween(canceledAt, lastEvent['start_time']);
    const attended = attendedBy(contents, last);
    const outcome = outcomeOf({ last, lastEvent, movedOn, canceler, noticeSeconds, ...attended }, now);
    const over = orNull(lastEvent['end_time'] ?? lastEvent['start_time']);
    const isOver = typeof over === 'string' && over <= now;
    const isStanding = outcome === null || !/moved|cancel/.test(outcome);
    const isKnown = isStanding && (attended.attendance !== 'unconfirmed' || isOver);
    return {
      root,
      members,
      first,
      last,
      firstEvent: events.get(String(first['event_uri'])),
      lastEvent,
      moves: deepest + (movedOn && depthOf(last) === deepest ? 1 : 0),
      outcome,
      canceler,
      canceledAt,
      noticeSeconds,
      ...(isKnown ? attended : { attendance: null, attendance_basis: null }),
      ended_at: isStanding && (isOver || last['no_show_at'] !== null) ? over : null,
    };
  });
}

/** Of every invitee named anywhere: where its journey begins, and how many moves later it stands. */
export function placesOf(invitees: ReadonlyMap<string, StoredRow>): Map<string, { root: string; depth: number }> {
  const named = new Set<string>();
  const claims = new Map<string, string[]>();
  for (const [uri, { old_invitee, new_invitee }] of invitees) {
    for (const each of [uri, old_invitee, new_invitee]) if (typeof each === 'string' && each !== '') named.add(each);
    if (typeof new_invitee === 'string' && new_invitee !== '' && new_invitee !== uri)
      claims.set(new_invitee, [...(claims.get(new_invitee) ?? []), uri]);
  }
  const before = (uri: string): string | undefined => {
    const own = invitees.get(uri)?.['old_invitee'];
    if (typeof own === 'string' && own !== '' && own !== uri) return own;
    return claims.get(uri)?.toSorted()[0];
  };
  const rootOf = (uri: string): string => {
    const trail = [uri];
    for (let at = before(uri); at !== undefined; at = before(at)) {
      const met = trail.indexOf(at);
      if (met >= 0) {
        const circle = trail.slice(met);
        return circle.toSorted()[0] as string;
      }
      trail.push(at);
    }
    return trail.at(-1) as string;
  };
  const depthOf = (uri: string, root: string): number => (uri === root ? 0 : 1 + depthOf(before(uri) as string, root));
  return new Map([...named].map((uri) => [uri, { root: rootOf(uri), depth: depthOf(uri, rootOf(uri)) }]));
}

function outcomeOf(
  end: Pick<Journey, 'last' | 'lastEvent' | 'canceler' | 'noticeSeconds' | 'attendance'> & { movedOn: boolean },
  now: string,
): string | null {
  const { last, lastEvent, movedOn, canceler, noticeSeconds, attendance } = end;
  if (movedOn) return 'moved';
  if (last['status'] === 'canceled' || lastEvent?.['status'] === 'canceled') {
    if (canceler === 'host') return 'canceled_by_host';
    if (canceler !== 'invitee') return 'canceled';
    return noticeSeconds !== null && noticeSeconds < 86_400 ? 'late_cancellation' : 'canceled_by_invitee';
  }
  if (last['no_show_at'] !== null) return 'no_show';
  const over = lastEvent?.['end_time'] ?? lastEvent?.['start_time'];
  if (typeof over !== 'string') return null;
  if (over > now) return 'upcoming';
  return attendance === 'confirmed' || attendance === 'likely' ? 'came' : 'unknown';
}

const plain = (text: Json | undefined): string =>
  typeof text === 'string' ? lowered(text.replaceAll(/^ +| +$/g, '')) : '';
const isHost = (one: Json): boolean => typeof one === 'object' && one !== null && 'host' in one && one.host === true;

/** Whether an invitee came, by the mark, the answer and the rows of recaps. */
export function attendedBy(
  { meeting_recaps = [] }: Contents,
  last: StoredRow,
): { attendance: string | null; attendance_basis: string | null } {
  if (last['no_show_at'] !== null) return { attendance: 'no_show', attendance_basis: textIn(last, 'no_show_uri') };
  const answer = textIn(last, 'attendance_entry');
  if (answer !== null) return { attendance: 'confirmed', attendance_basis: answer };
  const recaps = meeting_recaps
    .filter((recap) => recap['deleted_at'] === null && recap['event_uri'] === last['event_uri'])
    .toSorted((a, b) => (String(a['uri']) < String(b['uri']) ? -1 : 1));
  const [email, name] = [plain(last['email']), plain(last['name'])];
  const isThem = (given: string, by: string) => given !== '' && given === by;
  const speaks = ({ speakers }: StoredRow) =>
    listOf(speakers).some((each) => isThem(plain(each), email) || isThem(plain(each), name));
  const attends = ({ attendees }: StoredRow) =>
    listOf(attendees).some((one) => {
      if (isHost(one)) return false;
      const address = plain(textIn(one, 'user_email'));
      return address === '' ? isThem(plain(textIn(one, 'user_name')), name) : isThem(address, email);
    });
  const namesOthers = ({ attendees, speakers }: StoredRow) => {
    const hosts = listOf(attendees).filter(isHost);
    const names = hosts.flatMap((one) => [plain(textIn(one, 'user_email')), plain(textIn(one, 'user_name'))]);
    const isOther = (speaker: Json) => plain(speaker) !== '' && !names.includes(plain(speaker));
    return hosts.length < listOf(attendees).length || listOf(speakers).some(isOther);
  };
  const basis = (found: StoredRow | undefined) => found && String(found['uri']);
  const spoke = basis(recaps.find(speaks));
  if (spoke !== undefined) return { attendance: 'confirmed', attendance_basis: spoke };
  const listed = basis(recaps.find(attends));
  if (listed !== undefined) return { attendance: 'likely', attendance_basis: listed };
  const alone = basis(recaps.find(({ attendees }) => listOf(attendees).length > 0));
  if (alone !== undefined && !recaps.some(namesOthers))
    return { attendance: 'suspected_no_show', attendance_basis: alone };
  return { attendance: 'unconfirmed', attendance_basis: null };
}
