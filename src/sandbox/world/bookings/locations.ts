// The location of a meeting, from the locations of its event type and the choice of the invitee.
import type { EventTypeLocation, LocationKind } from '#schemas/resources/event-type.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { Random } from '#src/sandbox/random.ts';

export interface LocationChoice {
  readonly kind: LocationKind;
  /** For kinds where the invitee gives an address or a number. */
  readonly location?: string | undefined;
}

type MeetingLocation = ScheduledEventResource['location'];

/** A request names the `kind`, a meeting the `type`; one kind is spelled differently as a type (A4a). */
const typeOf = (kind: LocationKind): string => (kind === 'gotomeeting_conference' ? 'gotomeeting' : kind);

/** How often a conference is still being created when its booking is sent. No later event announces the link. */
const stillProcessing = 0.3;

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

/** `chosen` is one of the offered locations; without a choice the first one is used. */
export function meetingLocation(
  random: Random,
  offers: readonly EventTypeLocation[] | null,
  chosen: LocationChoice | undefined,
): MeetingLocation {
  const kind = chosen?.kind ?? offers?.[0]?.kind ?? 'custom';
  const offered = offers?.find((one) => one.kind === kind) ?? { kind };
  return { type: typeOf(kind), ...makers[kind](random, offered, chosen?.location) };
}

/** The choice that leads to the same location, for a rescheduled meeting. */
export function sameChoice(
  { type, location }: MeetingLocation,
  offers: readonly EventTypeLocation[] | null,
): LocationChoice | undefined {
  const kind = offers?.find((one) => typeOf(one.kind) === type)?.kind;
  if (kind === undefined) return undefined;
  return typeof location === 'string' ? { kind, location } : { kind };
}
