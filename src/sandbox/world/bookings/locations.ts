// Where a meeting takes place: made from what its event type offers and what the invitee chose.
import type { InviteeLocation } from '#schemas/booking.ts';
import type { EventTypeLocation, LocationKind } from '#schemas/resources/event-type.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { Random } from '#src/sandbox/random.ts';

type MeetingLocation = ScheduledEventResource['location'];

/** A request says `kind`, a meeting says `type`, and one of them is spelled otherwise there (A4a). */
const typeOf = (kind: LocationKind): string => (kind === 'gotomeeting_conference' ? 'gotomeeting' : kind);

/** How often a conference is still being made when its booking is told. No later event announces the link. */
const stillProcessing = 0.3;

type Maker = (random: Random, offered: EventTypeLocation, words: string | undefined) => Omit<MeetingLocation, 'type'>;

const spoken: Maker = (_, { location }, words) => ({ location: words ?? location ?? null });
const conference =
  (host: string): Maker =>
  (random) => ({ status: 'pushed', join_url: `https://${host}.example.test/${random.uuid().slice(0, 13)}`, data: {} });

const makers: { readonly [Kind in LocationKind]: Maker } = {
  physical: spoken,
  custom: spoken,
  ask_invitee: spoken,
  outbound_call: spoken,
  inbound_call: (_, { phone_number, location }) => ({ location: phone_number ?? location ?? null }),
  zoom_conference: (random) => {
    const id = random.int(10_000_000_000, 99_999_999_999);
    const join_url = `https://zoom.example.test/j/${id}`;
    return { status: 'pushed', join_url, data: { id, settings: {}, extra: null } };
  },
  google_conference: (random, offered, words) =>
    random.chance(stillProcessing)
      ? { status: 'processing', join_url: null }
      : conference('meet')(random, offered, words),
  gotomeeting_conference: conference('gotomeeting'),
  microsoft_teams_conference: conference('teams'),
  webex_conference: conference('webex'),
};

/** `chosen` is one of what is offered; without a choice the first offered place is taken. */
export function meetingLocation(
  random: Random,
  offers: readonly EventTypeLocation[] | null,
  chosen: InviteeLocation | undefined,
): MeetingLocation {
  const kind = chosen?.kind ?? offers?.[0]?.kind ?? 'custom';
  const offered = offers?.find((one) => one.kind === kind) ?? { kind };
  const words = chosen && 'location' in chosen ? chosen.location : undefined;
  return { type: typeOf(kind), ...makers[kind](random, offered, words) };
}

/** The same choice again, for a meeting that takes the place of another. */
export function sameChoice(
  { type, location }: MeetingLocation,
  offers: readonly EventTypeLocation[] | null,
): InviteeLocation | undefined {
  const kind = offers?.find((one) => typeOf(one.kind) === type)?.kind;
  return kind === undefined
    ? undefined
    : ({ kind, ...(typeof location === 'string' && { location }) } as InviteeLocation);
}
