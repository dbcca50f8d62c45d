// What an analyst asks of a mirror, computed the plain way from the bodies in the log: never from rows, and with no code of the product.
import { localParts } from './local-time.ts';

interface Entry {
  /** As it was sent. */
  readonly body: string;
  readonly receivedAt: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a body can be anything
type Payload = any;
type Counts = Readonly<Record<string, number>>;

interface Booking {
  readonly links: readonly Payload[];
  readonly first: Payload;
  readonly last: Payload;
  readonly meeting: Payload;
  readonly outcome: string;
}

const dayMs = 24 * 3_600_000;
const ms = (time: string): number => Date.parse(time);
const seconds = (later: string, earlier: string): number => (ms(later) - ms(earlier)) / 1_000;

export function countsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Counts {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

const average = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** What a body says; undefined where it is no delivery that can be read. */
function deliveryIn(
  body: string,
): { readonly event: string; readonly payload: Payload; readonly at: string } | undefined {
  try {
    const { event, payload, created_at: at } = JSON.parse(body);
    return typeof payload.uri === 'string' ? { event, payload, at } : undefined;
  } catch {
    return undefined;
  }
}

export function analystOf(log: readonly Entry[], { nowMs, zone }: { readonly nowMs: number; readonly zone: string }) {
  const deliveries = log
    .flatMap(({ body }) => deliveryIn(body) ?? [])
    .toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  const said = (...events: readonly string[]) => deliveries.filter(({ event }) => events.includes(event));
  /** By URI, the later delivery over the earlier one. */
  const recordsOf = (...events: readonly string[]): ReadonlyMap<string, Payload> => {
    const records = new Map<string, Payload>();
    for (const { payload } of said(...events)) records.set(payload.uri, { ...records.get(payload.uri), ...payload });
    return records;
  };
  const invitees = recordsOf('invitee.created', 'invitee.canceled');
  const contacts = [...recordsOf('contact.created', 'contact.deleted').values()].filter((each) => !each.deleted_at);
  const submissions = [...recordsOf('routing_form_submission.created').values()];
  const types = [...recordsOf('event_type.created').values()];
  const marks = said('invitee_no_show.created', 'invitee_no_show.deleted');
  const attended = said('meeting_recap.created').flatMap(({ payload: { event } }) =>
    event.attendees.map((each: Payload) => `${event.uri} ${each.user_email}`),
  );
  const monthOf = (time: string): string => String(localParts(time, zone).day).slice(0, 7);
  const isMarked = (uri: string): boolean =>
    marks.findLast(({ payload }) => payload.uri === uri)?.payload.no_show != null;

  function outcomeOf({ uri, email, status, cancellation, scheduled_event: meeting }: Payload): string {
    if (status === 'canceled') {
      if (cancellation.canceler_type === 'host') return 'canceled_by_host';
      const isLate = seconds(meeting.start_time, cancellation.created_at) < 24 * 3_600;
      return isLate ? 'late_cancellation' : 'canceled_by_invitee';
    }
    if (isMarked(uri)) return 'no_show';
    if (ms(meeting.end_time) > nowMs) return 'upcoming';
    return attended.includes(`${meeting.uri} ${email}`) ? 'came' : 'unknown';
  }
  const bookings = [...invitees.values()].flatMap((first): Booking[] => {
    if (first.old_invitee !== null) return [];
    const links = [first];
    for (let next = invitees.get(first.new_invitee); next; next = invitees.get(next.new_invitee)) links.push(next);
    const last = links.at(-1);
    return [{ links, first, last, meeting: last.scheduled_event, outcome: outcomeOf(last) }];
  });
  const having = (...outcomes: readonly string[]) => bookings.filter(({ outcome }) => outcomes.includes(outcome));
  const ended = having('came', 'no_show', 'unknown');
  const canceled = having('canceled_by_host', 'late_cancellation', 'canceled_by_invitee');
  const hostsOf = ({ meeting }: Booking): readonly string[] =>
    meeting.event_memberships.map((each: Payload) => each.user);
  const hostOf = (booking: Booking): string => hostsOf(booking)[0] ?? '';
  const typeOf = ({ meeting }: Booking): string => meeting.event_type;
  const startOf = ({ meeting }: Booking) => localParts(meeting.start_time, zone);

  const rateByHostAndMonth = (): Readonly<Record<string, number>> => {
    const pairs = ended.flatMap((booking) =>
      hostsOf(booking).map((host) => ({ key: `${host} ${monthOf(booking.meeting.start_time)}`, booking })),
    );
    const all = countsOf(pairs, ({ key }) => key);
    const missed = countsOf(
      pairs.filter(({ booking }) => booking.outcome === 'no_show'),
      ({ key }) => key,
    );
    return Object.fromEntries(Object.entries(all).map(([key, count]) => [key, (missed[key] ?? 0) / count]));
  };
  const paymentsByMonth = (): Counts => {
    const carriers = new Map<string, Payload>();
    for (const { links } of bookings)
      for (const link of links) if (link.payment?.successful) carriers.set(link.payment.external_id, link);
    const sums: Record<string, number> = {};
    for (const { payment, created_at: at } of carriers.values()) {
      const key = `${payment.currency} ${monthOf(at)}`;
      sums[key] = (sums[key] ?? 0) + payment.amount;
    }
    return sums;
  };
  const mostMoves = (): readonly number[] => {
    const byPerson = Map.groupBy(bookings, ({ last }) => String(last.email).toLowerCase());
    const moves = [...byPerson.values()].map((of) => of.reduce((sum, { links }) => sum + links.length - 1, 0));
    return moves.toSorted((a, b) => b - a).slice(0, 3);
  };
  const addressesOf = (contact: Payload): readonly string[] => contact.emails.map((each: Payload) => each.email);
  const personOf = (email: string): string =>
    contacts.find((contact) => addressesOf(contact).includes(email.toLowerCase()))?.uri ?? email.toLowerCase();
  const partiesOf = (): readonly { readonly invitees: number; readonly all: number }[] => {
    const active = [...invitees.values()].filter(({ status }) => status === 'active');
    return [...Map.groupBy([...invitees.values()], ({ event }) => event)].map(([event, of]) => {
      const there = active.filter((each) => each.event === event).length;
      return { invitees: there, all: there + of[0].scheduled_event.event_guests.length };
    });
  };
  const removedMarks = (): readonly string[] =>
    said('invitee_no_show.deleted').flatMap(({ payload: { uri } }) => {
      const mark = said('invitee_no_show.created').find(({ payload }) => payload.uri === uri);
      return mark?.payload.no_show.uri ?? [];
    });
  const booked = new Set([...invitees.values()].map((each) => each.routing_form_submission));
  const soon = having('upcoming').filter(({ meeting }) => ms(meeting.start_time) <= nowMs + 7 * dayMs);
  const meetingsSoon = [...new Map(soon.map((booking) => [booking.meeting.uri, booking])).values()];
  const recent = bookings.filter(({ first }) => ms(first.created_at) >= nowMs - 30 * dayMs).map(typeOf);
  const unreadable = log.filter(({ body, receivedAt }) => !deliveryIn(body) && ms(receivedAt) >= nowMs - dayMs);
  const parties = partiesOf();

  return {
    rateByHostAndMonth: rateByHostAndMonth(),
    mostMoves: mostMoves(),
    leadBySource: Object.fromEntries(
      [...Map.groupBy(bookings, ({ first }) => String(first.tracking.utm_source))].map(([source, of]) => [
        source,
        average(of.map(({ first, meeting }) => seconds(meeting.start_time, first.created_at))),
      ]),
    ),
    withoutForm: countsOf(
      bookings.filter(
        ({ first, last }) => first.routing_form_submission === null && last.routing_form_submission === null,
      ),
      typeOf,
    ),
    startHours: countsOf([...ended, ...having('upcoming')], (booking) => String(Number(startOf(booking).hour))),
    firstMeetingOf: (email: string): string | undefined =>
      bookings
        .filter(({ last }) => personOf(last.email) === personOf(email))
        .map(({ meeting }) => meeting.start_time)
        .toSorted()[0],
    lateByHost: countsOf(having('late_cancellation'), hostOf),
    whoCancels: countsOf(canceled, (booking) => `${typeOf(booking)} ${booking.last.cancellation.canceler_type}`),
    paymentsByMonth: paymentsByMonth(),
    unbookedByForm: countsOf(
      submissions.filter(({ uri }) => !booked.has(uri)),
      (each) => each.routing_form,
    ),
    bookedTwice: Object.values(countsOf(bookings, ({ last }) => personOf(last.email))).filter((count) => count > 1)
      .length,
    noShowWeekdays: countsOf(having('no_show'), (booking) => String(startOf(booking).weekday)),
    cameByCampaign: countsOf(having('came'), ({ first }) => String(first.tracking.utm_campaign)),
    soonByHost: countsOf(meetingsSoon.flatMap(hostsOf), (host) => host),
    idleTypes: types
      .filter(({ uri }) => !recent.includes(uri))
      .map(({ name }) => String(name))
      .toSorted(),
    quarantined: countsOf(unreadable, ({ body }) => (body.startsWith('{') ? 'uri' : 'JSON')),
    contactsByMonth: countsOf(contacts, (each) => String(each.created_at).slice(0, 7)),
    groups: {
      count: parties.filter(({ all }) => all > 1).length,
      largest: Math.max(...parties.map((each) => each.invitees)),
    },
    secondsToCancellation: average(
      canceled.map(({ first, last }) => seconds(last.cancellation.created_at, first.created_at)),
    ),
    removedMarks: removedMarks().toSorted(),
  };
}

export type Analyst = ReturnType<typeof analystOf>;
