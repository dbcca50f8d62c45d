// Bookings, what happened to them, and every number about them, computed the plain way from the declarations of a world: never from rows
// of the product.
import {
  startOfDay,
  reportZone,
  uriOf,
  type Cancellation,
  type Invitee,
  type Meeting,
  type World,
} from '../harness/data/boundary-world.ts';
import { localParts } from './local-time.ts';

export const outcomes = [
  'upcoming',
  'came',
  'no_show',
  'unknown',
  'canceled_by_invitee',
  'late_cancellation',
  'canceled_by_host',
  'canceled',
  'moved',
] as const;
type Outcome = (typeof outcomes)[number];
export type Attendance = 'confirmed' | 'likely' | 'suspected_no_show' | 'unconfirmed' | 'no_show';

export const momentNames = [
  'booked',
  'moved',
  'canceled',
  'no_show',
  'no_show_removed',
  'came',
  'reconfirmed',
  'ended',
] as const;

type Link = Invitee & { readonly id: string };

export interface Booking {
  readonly id: string;
  /** Mirrored, in order. */
  readonly links: readonly Link[];
  readonly first: Link;
  readonly last: Link;
  readonly meeting: Meeting;
  readonly moves: number;
  readonly outcome: Outcome | null;
  readonly attendance: Attendance | null;
  readonly basis: string | null;
  readonly cancellation: Cancellation;
  readonly notice: number | null;
}

export interface Moment {
  readonly booking: string;
  readonly invitee: string;
  readonly moment: (typeof momentNames)[number];
  readonly mark?: string;
  readonly at: string;
}

/** `{ key: how many }`, without those that are zero. */
export type Counts = Readonly<Record<string, number>>;

/** How many ended, were missed, and how many are unknown. */
export type Rate = readonly [ended: number, missed: number, unknown: number];

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
export const dayIn = (time: string): string => String(localParts(time, reportZone).day);
const monthIn = (time: string): string => dayIn(time).slice(0, 7);

function countBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const item of items) for (const key of keysOf(item)) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** From where each invitee came: by its own word, else by that of the invitee that was left. */
function chainsOf({ invitees }: World): Map<string, readonly string[]> {
  const before = (id: string): string | undefined =>
    invitees[id]?.old ??
    Object.keys(invitees)
      .toSorted()
      .find((other) => invitees[other]?.new === id);
  /** Backwards from an invitee, up to where it began or where a circle closes. */
  const trailOf = (id: string): readonly string[] => {
    const trail = [id];
    for (let next = before(id); next !== undefined && !trail.includes(next); next = before(next)) trail.push(next);
    return trail;
  };
  const rootOf = (id: string): string => {
    const trail = trailOf(id);
    const end = trail.at(-1) ?? id;
    const again = before(end);
    return again === undefined ? end : (trail.slice(trail.indexOf(again)).toSorted()[0] ?? end);
  };
  const chains = Map.groupBy(Object.keys(invitees), rootOf);
  const depthOf = (id: string, root: string): number => trailOf(id).indexOf(root);
  return new Map([...chains].map(([root, ids]) => [root, ids.toSorted((a, b) => depthOf(a, root) - depthOf(b, root))]));
}

const plain = (text: string): string => text.trim().toLowerCase();

/** What the answer and the recaps of the meeting say of an invitee. */
function evidenceOf({ recaps }: World, { answered, meeting, email, name }: Invitee): [Attendance, string | null] {
  if (answered !== undefined) return ['confirmed', 'an answer'];
  const own = Object.entries(recaps)
    .filter(([, recap]) => recap.meeting === meeting)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isThem = (text: string) => [email, name].some((known) => plain(known) === plain(text));
  const spoke = own.find(([, { speakers = [] }]) => speakers.some(isThem));
  if (spoke) return ['confirmed', uriOf('meeting_recaps', spoke[0])];
  const attended = own.find(([, { attendees = [] }]) => attendees.some(isThem));
  if (attended) return ['likely', uriOf('meeting_recaps', attended[0])];
  const isEmpty = own.every(([, { attendees = [], speakers = [] }]) => attendees.length + speakers.length === 0);
  const [first] = own;
  return first !== undefined && isEmpty
    ? ['suspected_no_show', uriOf('meeting_recaps', first[0])]
    : ['unconfirmed', null];
}

function bookingOf(world: World, root: string, ids: readonly string[]): Booking | undefined {
  const { invitees, meetings, nowMs } = world;
  const links = ids.flatMap((id): Link[] => {
    const invitee = invitees[id];
    return invitee === undefined ? [] : [{ ...invitee, id }];
  });
  const [first, last] = [links[0], links.at(-1)];
  const meeting = meetings[last?.meeting ?? ''];
  // An invitee without a meeting is no booking.
  if (first === undefined || last === undefined || meeting === undefined) return undefined;
  const isLeft = last.moved === true || last.new !== undefined;
  // Those between two mirrored ones count as well.
  const deepest = [...new Set(links.flatMap((link) => [link.old, link.id, link.new]))].filter(
    (id) => id !== undefined,
  ).length;
  const isCircle = first.old !== undefined && links.some(({ id }) => id === first.old);
  const moves = isCircle ? links.length - 1 : deepest - 1 + (last.moved === true && last.new === undefined ? 1 : 0);
  const cancellation = {
    by: last.canceled?.by ?? meeting.canceled?.by ?? null,
    at: last.canceled?.at ?? meeting.canceled?.at ?? null,
  };
  const start = meeting.blank ? undefined : meeting.start;
  const notice = cancellation.at !== null && start !== undefined ? seconds(start) - seconds(cancellation.at) : null;
  const mark = (last.marks ?? []).find(({ removed }) => removed === undefined);
  const base = { id: root, links, first, last, meeting, moves, cancellation, notice, attendance: null, basis: null };
  if (isLeft) return { ...base, outcome: 'moved' };
  if (last.canceled !== undefined || meeting.canceled !== undefined) {
    const { by } = cancellation;
    if (by === 'host') return { ...base, outcome: 'canceled_by_host' };
    if (by !== 'invitee') return { ...base, outcome: 'canceled' };
    return { ...base, outcome: notice !== null && notice < 86_400 ? 'late_cancellation' : 'canceled_by_invitee' };
  }
  if (mark !== undefined)
    return { ...base, outcome: 'no_show', attendance: 'no_show', basis: uriOf('invitee_no_shows', mark.id) };
  if (start === undefined) return { ...base, outcome: null };
  if (Date.parse(meeting.end) > nowMs) return { ...base, outcome: 'upcoming' };
  const [attendance, basis] = evidenceOf(world, last);
  const isThere = attendance === 'confirmed' || attendance === 'likely';
  return { ...base, outcome: isThere ? 'came' : 'unknown', attendance, basis };
}

const isEnded = ({ outcome }: Booking): boolean => outcome === 'came' || outcome === 'no_show' || outcome === 'unknown';
const rateOf = (bookings: readonly Booking[]): Rate => {
  const having = (wanted: Outcome) => bookings.filter(({ outcome }) => outcome === wanted).length;
  return [bookings.filter(isEnded).length, having('no_show'), having('unknown')];
};

export type Model = ReturnType<typeof modelOf>;

export function modelOf(world: World) {
  const bookings = [...chainsOf(world)].flatMap(([root, ids]) => bookingOf(world, root, ids) ?? []);
  const ended = bookings.filter(isEnded);
  const { meetings } = world;
  const having = (outcome: Outcome | null) => bookings.filter((booking) => booking.outcome === outcome);
  const canceled = bookings.filter(({ outcome }) => outcome?.includes('cancel'));
  const dayAndType = (time: string, { type }: Pick<Meeting, 'type'>) => `${dayIn(time)} ${type}`;
  const typeOf = ({ meeting }: Invitee) =>
    meetings[meeting ?? '']?.blank ? '' : (meetings[meeting ?? '']?.type ?? '');
  const rates = (chosen: readonly Booking[], keysOf: (booking: Booking) => readonly string[]) => {
    const keys = [...new Set(chosen.flatMap(keysOf))];
    return Object.fromEntries(
      keys.map((key) => [key, rateOf(chosen.filter((booking) => keysOf(booking).includes(key)))]),
    );
  };
  const zoneOfHost = ({ hosts }: Meeting) => world.zones[hosts[0] ?? ''];
  const place = (time: string, zone: string | null | undefined) => localParts(time, zone);
  const keys = {
    event_type: ({ meeting }: Booking) => [meeting.type],
    host: ({ meeting }: Booking) => [...new Set(meeting.hosts)],
    utm_source: ({ first }: Booking) => [first.source ?? ''],
    month: ({ meeting }: Booking) => [monthIn(meeting.start)],
    weekday: ({ meeting }: Booking) => [String(place(meeting.start, reportZone).weekday)],
    hour: ({ meeting }: Booking) => [String(place(meeting.start, reportZone).hour)],
    weekday_host: ({ meeting }: Booking) => [String(place(meeting.start, zoneOfHost(meeting)).weekday ?? '')],
    hour_host: ({ meeting }: Booking) => [place(meeting.start, zoneOfHost(meeting)).hour ?? ''],
    hour_invitee: ({ meeting, last }: Booking) => [place(meeting.start, last.zone).hour ?? ''],
  };
  const between = (from: string, to: string) => (booking: Booking) =>
    booking.outcome !== null && dayIn(booking.meeting.start) >= from && dayIn(booking.meeting.start) <= to;
  return {
    world,
    bookings,
    having,
    keys,
    rates,
    between,
    ended,
    rateOf,
    withAttendance: (wanted: Attendance) => bookings.filter(({ attendance }) => attendance === wanted),
    moments: momentsOf(world, bookings),
    daily: {
      booked: countBy(bookings, ({ first }) => [dayAndType(first.made, { type: typeOf(first) })]),
      moved: countBy(
        bookings.flatMap(({ links, last, outcome }) => [
          ...links.slice(1).map((link) => ({ time: link.made, link })),
          ...(outcome === 'moved' ? [{ time: last.canceled?.at ?? '', link: last }] : []),
        ]),
        ({ time, link }) => [dayAndType(time, { type: typeOf(link) })],
      ),
      canceled: countBy(canceled, ({ cancellation, meeting }) => [dayAndType(cancellation.at ?? '', meeting)]),
      ended: countBy(ended, ({ meeting }) => [dayAndType(meeting.start, meeting)]),
      no_shows: countBy(having('no_show'), ({ meeting }) => [dayAndType(meeting.start, meeting)]),
    },
    perDay: (outcome: readonly Outcome[], from: string, to: string) =>
      countBy(
        bookings.filter((each) => outcome.some((one) => one === each.outcome)).filter(between(from, to)),
        ({ meeting }) => [dayIn(meeting.start)],
      ),
    payments: paymentsOf(world, bookings),
    funnel: funnelOf(world, bookings),
    unbooked: unbookedOf(world),
    people: peopleOf(world, bookings),
  };
}

function momentsOf({ recaps }: World, bookings: readonly Booking[]): readonly Moment[] {
  return bookings.flatMap((booking) => {
    const [, recap] = Object.entries(recaps).find(([name]) => uriOf('meeting_recaps', name) === booking.basis) ?? [];
    const recapTime = recap?.made;
    const { id, links, first, last, outcome, meeting, cancellation } = booking;
    const moment = (of: Link, name: Moment['moment'], time: string | null | undefined, mark?: string): Moment[] =>
      time == null ? [] : [{ booking: id, invitee: of.id, moment: name, at: time, ...(mark && { mark }) }];
    return [
      ...moment(first, 'booked', first.made),
      ...links.flatMap((link, index) => {
        const next = links[index + 1];
        const isLeft = next !== undefined || outcome === 'moved';
        return [
          ...(isLeft ? moment(link, 'moved', link.canceled?.at ?? next?.made) : []),
          ...moment(link, 'reconfirmed', link.reconfirmed),
          ...(link.marks ?? []).flatMap(({ id: mark, at, removed }) => [
            ...moment(link, 'no_show', at, mark),
            ...moment(link, 'no_show_removed', removed, mark),
          ]),
        ];
      }),
      ...(outcome?.includes('cancel') ? moment(last, 'canceled', cancellation.at) : []),
      ...(outcome === 'came' ? moment(last, 'came', last.answered ?? recapTime) : []),
      ...(isEnded(booking) ? moment(last, 'ended', meeting.end) : []),
    ];
  });
}

/** Each once, by its provider and identifier, with the last link that carries it; without an identifier once a booking. */
function paymentsOf({ meetings }: World, bookings: readonly Booking[]) {
  const carried = bookings
    .flatMap(({ id, links }) => links.map((link) => ({ booking: id, link })))
    .filter(({ link }) => link.payment?.successful === true)
    .toSorted((a, b) => (`${a.link.made} ${a.link.id}` < `${b.link.made} ${b.link.id}` ? -1 : 1));
  const last = new Map(
    carried.map((each) => [`${each.link.payment?.provider} ${each.link.payment?.id ?? `of ${each.booking}`}`, each]),
  );
  return [...last.values()].map(({ booking, link }) => ({
    booking,
    day: dayIn(link.made),
    event_type: meetings[link.meeting ?? '']?.type ?? '',
    provider: link.payment?.provider ?? '',
    currency: link.payment?.currency ?? '',
    amount: link.payment?.amount ?? 0,
  }));
}

/** By form: a submission counts once, by the best outcome of its bookings. */
function funnelOf({ submissions, invitees, firstDay }: World, bookings: readonly Booking[]) {
  const results = Object.entries(submissions).map(([id, submission]) => {
    const led = bookings.filter(({ links }) => links.some((link) => link.form === id));
    const isReferred = Object.values(invitees).some(({ form }) => form === id);
    const some = (outcome: Outcome) => led.some((booking) => booking.outcome === outcome);
    const best =
      some('came') || some('unknown') ? 'attended' : some('no_show') ? 'no_show' : some('upcoming') ? 'upcoming' : '';
    const isCanceled = led.length > 0 && led.every(({ outcome }) => outcome?.includes('cancel'));
    return { ...submission, isBooked: isReferred, best: isCanceled ? 'canceled' : best };
  });
  const countsOf = (chosen: typeof results) => {
    const counted = (is: (one: (typeof results)[number]) => boolean) => chosen.filter(is).length;
    return {
      submissions: chosen.length,
      to_event_type: counted(({ leadsTo }) => leadsTo === 'event_type'),
      to_external_url: counted(({ leadsTo }) => leadsTo === 'external_url'),
      to_custom_message: counted(({ leadsTo }) => leadsTo === 'custom_message'),
      booked: counted(({ isBooked }) => isBooked),
      upcoming: counted(({ best }) => best === 'upcoming'),
      ended: counted(({ best }) => best === 'attended' || best === 'no_show'),
      no_shows: counted(({ best }) => best === 'no_show'),
      canceled: counted(({ best }) => best === 'canceled'),
    };
  };
  const opening = startOfDay(firstDay, reportZone);
  return {
    forms: Object.fromEntries(
      [...Map.groupBy(results, ({ form }) => form)].map(([form, chosen]) => [form, countsOf(chosen)]),
    ),
    all: countsOf(results),
    lastThirtyDays: countsOf(results.filter(({ at }) => at >= opening)),
  };
}

/** With who booked later, without naming the form. */
function unbookedOf({ submissions, invitees }: World): Readonly<Record<string, string | null>> {
  const all = Object.entries(invitees).toSorted(([, a], [, b]) => (a.made < b.made ? -1 : 1));
  return Object.fromEntries(
    Object.entries(submissions)
      .filter(([id, { leadsTo }]) => leadsTo === 'event_type' && !all.some(([, { form }]) => form === id))
      .map(([id, { email = '', at }]) => {
        const [other] = all.find(([, one]) => one.made >= at && plain(one.email) === plain(email)) ?? [];
        return [id, other ?? null];
      }),
  );
}

export interface PersonCounts {
  readonly contacts: readonly string[];
  readonly bookings: number;
  readonly came: number;
  readonly no_shows: number;
  readonly unknown: number;
  readonly next_meeting: string | null;
}

/** By all addresses of the person, sorted. */
function peopleOf({ contacts, invitees }: World, bookings: readonly Booking[]): Readonly<Record<string, PersonCounts>> {
  const living = Object.entries(contacts).filter(([, { deleted }]) => deleted === undefined);
  const visible = Object.values(invitees).filter(({ erased }) => !erased);
  let groups: ReadonlySet<string>[] = visible.map(({ email }) => new Set([plain(email)]));
  for (const [, { emails }] of living) {
    const own = emails.map(plain);
    const touched = groups.filter((group) => own.some((email) => group.has(email)));
    groups = [
      ...groups.filter((group) => !touched.includes(group)),
      new Set([...own, ...touched.flatMap((each) => [...each])]),
    ];
  }
  const distinct = new Map(groups.map((group) => [[...group].toSorted().join(' '), group]));
  return Object.fromEntries(
    [...distinct].map(([key, group]) => {
      const theirs = bookings.filter(({ last }) => !last.erased && group.has(plain(last.email)));
      const having = (wanted: Outcome) => theirs.filter(({ outcome }) => outcome === wanted);
      const next = having('upcoming')
        .map(({ meeting }) => meeting.start)
        .toSorted();
      return [
        key,
        {
          contacts: living
            .filter(([, { emails }]) => emails.some((email) => group.has(plain(email))))
            .map(([id]) => id)
            .toSorted(),
          bookings: theirs.length,
          came: having('came').length,
          no_shows: having('no_show').length,
          unknown: having('unknown').length,
          next_meeting: next[0] ?? null,
        },
      ];
    }),
  );
}
