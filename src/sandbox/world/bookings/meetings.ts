// The meeting a booking is for: a new one with its hosts and location, or a seat in a group that already meets at that time.
import type { EventTypeLocation, LocationKind } from '#schemas/resources/event-type.ts';
import type { CancellationResource, ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { invalid } from '#src/http/http-error.ts';
import { instantOf, minuteMs } from '#src/sandbox/clock.ts';
import type { Random } from '#src/sandbox/random.ts';
import { newUri, hostDay, slotOf, type Service, type State, type StoredEventType } from '#src/sandbox/world/service.ts';

export interface MeetingPlan {
  readonly eventType: StoredEventType;
  /** UTC with six fractional digits. May be in the past: the seed contains past meetings. */
  readonly startTime: string;
  /** Of a kind the event type offers. */
  readonly location?: LocationChoice | undefined;
  readonly guests?: readonly string[] | undefined;
}

/** The meeting with the invitee added. Stores nothing; refuses when the group is full. */
export function meetingWith(service: Service, plan: MeetingPlan): ScheduledEventResource {
  const { eventType, startTime, guests = [] } = plan;
  const now = service.clock.tick();
  const meeting = gatheringAt(service.state, eventType, startTime) ?? newMeeting(service, plan, now);
  const { total, active, limit } = meeting.invitees_counter;
  if (active >= limit) throw invalid({ message: 'the group is full at this time', parameter: 'start_time' });
  const known = new Set(meeting.event_guests.map(({ email }) => email));
  const joining = [...new Set(guests)].filter((email) => !known.has(email));
  return {
    ...meeting,
    updated_at: now,
    invitees_counter: { total: total + 1, active: active + 1, limit },
    event_guests: [...meeting.event_guests, ...joining.map((email) => ({ email, created_at: now, updated_at: now }))],
  };
}

/** The meeting with an invitee removed. A group meeting continues (A4g); a solo meeting is canceled. */
export function meetingWithout(
  meeting: ScheduledEventResource,
  cancellation: CancellationResource,
): ScheduledEventResource {
  const { total, active, limit } = meeting.invitees_counter;
  return {
    ...meeting,
    updated_at: cancellation.created_at,
    invitees_counter: { total, active: Math.max(0, active - 1), limit },
    ...(limit === 1 ? { status: 'canceled', cancellation } : {}),
  };
}

/** How many invitees may still join at this time. A solo meeting is always a new one. */
export function seatsLeft(state: State, eventType: StoredEventType, startTime: string): number {
  const counter = gatheringAt(state, eventType, startTime)?.invitees_counter;
  return counter === undefined ? eventType.seats : Math.max(0, counter.limit - counter.active);
}

/** The group meeting of this event type at this time, if there is one. */
export function gatheringAt(
  state: State,
  { uri, kind }: StoredEventType,
  startTime: string,
): ScheduledEventResource | undefined {
  return kind === 'group' ? state.scheduledEvents.of('slot', slotOf(uri, startTime))[0] : undefined;
}

function newMeeting(service: Service, plan: MeetingPlan, now: string): ScheduledEventResource {
  const { eventType, startTime, location } = plan;
  const hosts = hostsFor(service, eventType, startTime).flatMap((uri) => service.state.users.get(uri) ?? []);
  return {
    uri: newUri(service, 'scheduled_events'),
    name: eventType.name,
    meeting_notes_plain: null,
    meeting_notes_html: null,
    status: 'active',
    start_time: startTime,
    end_time: laterBy(startTime, eventType.duration),
    event_type: eventType.uri,
    location: meetingLocation(service.random, eventType.locations, location),
    invitees_counter: { total: 0, active: 0, limit: eventType.seats },
    created_at: now,
    updated_at: now,
    event_memberships: hosts.map(membershipOf),
    event_guests: [],
  };
}

const membershipOf = ({ uri, email, name }: UserResource) => ({ user: uri, user_email: email, user_name: name });

/** What a host or an administrator changes in the calendar. As at the service, no webhook is sent (A33). */
export function updateMeeting(
  { state }: Pick<Service, 'state'>,
  meeting: ScheduledEventResource,
  { host, join_url }: { readonly host?: UserResource | undefined; readonly join_url?: string | undefined },
): ScheduledEventResource {
  const updated: ScheduledEventResource = {
    ...meeting,
    ...(host && { event_memberships: [membershipOf(host)] }),
    ...(join_url !== undefined && { location: { ...meeting.location, status: 'pushed', join_url } }),
  };
  if (join_url !== undefined) state.conferencesInProcess.delete(meeting.uri);
  state.scheduledEvents.put(updated);
  return updated;
}

/** Keeps the microseconds, which a Date does not hold. */
function laterBy(instant: string, minutes: number): string {
  const later = new Date(Date.parse(instant) + minutes * minuteMs).toISOString();
  if (later.length !== 24) throw invalid({ message: 'too far in the future', parameter: 'start_time' });
  return `${later.slice(0, -1)}${instant.slice(23, 26)}Z`;
}

export function hostsNeeded({ pooling_type, hosts }: StoredEventType): number {
  switch (pooling_type) {
    case 'collective':
      return hosts.length;
    case 'multi_pool':
      return Math.min(2, hosts.length);
    default:
      return 1;
  }
}

/** Hosts with the fewest meetings on the day come first; ties are broken at random, so that the load is spread. */
export function hostsFor({ state, random }: Service, eventType: StoredEventType, startTime: string): readonly string[] {
  const needed = hostsNeeded(eventType);
  if (needed === eventType.hosts.length) return eventType.hosts;
  const loads = eventType.hosts.map((host) => ({
    host,
    meetings: state.scheduledEvents.count('host_day', hostDay(host, startTime)),
    lot: random.next(),
  }));
  const order = loads.toSorted((a, b) => a.meetings - b.meetings || a.lot - b.lot);
  return order.slice(0, needed).map(({ host }) => host);
}

export function meetingsOf(state: State, host: string, instant: string): readonly ScheduledEventResource[] {
  return state.scheduledEvents.of('host_day', hostDay(host, instant));
}

interface LocationChoice {
  readonly kind: LocationKind;
  /** For kinds where the invitee gives an address or a number. */
  readonly location?: string | undefined;
}

type MeetingLocation = ScheduledEventResource['location'];

/** A request names the `kind`, a meeting the `type`; one kind is spelled differently as a type (A4a). */
const typeOf = (kind: LocationKind): string => (kind === 'gotomeeting_conference' ? 'gotomeeting' : kind);

/** How often a conference is still being created when its booking is sent. */
const stillProcessing = 0.3;
const processingMs = minuteMs;

type Maker = (random: Random, offered: EventTypeLocation, text: string | undefined) => Omit<MeetingLocation, 'type'>;

const inText: Maker = (_, { location }, text) => ({ location: text ?? location ?? null });
const conference =
  (host: string): Maker =>
  (random) => ({ status: 'pushed', join_url: `https://${host}.example.test/${random.uuid().slice(0, 13)}`, data: {} });

const makers: { readonly [Kind in LocationKind]: Maker } = {
  physical: inText,
  custom: inText,
  ask_invitee: inText,
  outbound_call: inText,
  inbound_call: (_, { phone_number, location }) => ({ location: phone_number ?? location ?? null }),
  zoom_conference: (random) => {
    const id = random.int(10_000_000_000, 99_999_999_999);
    const join_url = `https://zoom.example.test/j/${id}`;
    return { status: 'pushed', join_url, data: { id, settings: {}, extra: null } };
  },
  google_conference: (random, offered, text) =>
    random.chance(stillProcessing)
      ? { status: 'processing', join_url: null }
      : conference('meet')(random, offered, text),
  gotomeeting_conference: conference('gotomeeting'),
  microsoft_teams_conference: conference('teams'),
  webex_conference: conference('webex'),
};

/**
 * Adds the links of the conferences that were created meanwhile; a meeting that is canceled or over by then gets none. As at the
 * service, nothing announces them (A33).
 */
export function addReadyLinks({ state, clock }: Pick<Service, 'state' | 'clock'>): void {
  const nowMs = clock.nowMs();
  for (const [uri, bookedMs] of state.conferencesInProcess) {
    if (bookedMs + processingMs > nowMs) return;
    state.conferencesInProcess.delete(uri);
    const meeting = state.scheduledEvents.get(uri);
    if (meeting?.status !== 'active' || meeting.end_time <= instantOf(nowMs)) continue;
    const join_url = `https://meet.example.test/${uri.slice(-36, -23)}`;
    state.scheduledEvents.put({ ...meeting, location: { ...meeting.location, status: 'pushed', join_url, data: {} } });
  }
}

/** `chosen` is one of the offered locations; without a choice the first one is used. */
function meetingLocation(
  random: Random,
  offers: readonly EventTypeLocation[] | null,
  chosen: LocationChoice | undefined,
): MeetingLocation {
  const kind = chosen?.kind ?? offers?.[0]?.kind ?? 'custom';
  const offered = offers?.find((one) => one.kind === kind) ?? { kind };
  return { type: typeOf(kind), ...makers[kind](random, offered, chosen?.location) };
}

export function sameChoice(
  { type, location }: MeetingLocation,
  offers: readonly EventTypeLocation[] | null,
): LocationChoice | undefined {
  const kind = offers?.find((one) => typeOf(one.kind) === type)?.kind;
  if (kind === undefined) return undefined;
  return typeof location === 'string' ? { kind, location } : { kind };
}
