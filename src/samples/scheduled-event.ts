// A meeting on a calendar, as every invitee delivery carries it.
import type { Random } from './random.ts';
import { hourMs, minuteMs, serviceUrl, wireTime } from './sample.ts';
import type { JsonRecord } from './sample.ts';
import type { Offer, World } from './sample-organization.ts';
import type { Person } from './person.ts';

export interface Meeting {
  readonly uri: string;
  readonly offer: Offer;
  readonly startMs: number;
  readonly createdMs: number;
  readonly location: JsonRecord;
  readonly guests: readonly string[];
  updatedMs: number;
  status: 'active' | 'canceled';
  total: number;
  active: number;
}

export interface MeetingPlan {
  readonly offer: Offer;
  readonly startMs: number;
  readonly createdMs: number;
  readonly invitee: Person;
}

export function makeMeeting(random: Random, { offer, startMs, createdMs, invitee }: MeetingPlan): Meeting {
  return {
    uri: `${serviceUrl}/scheduled_events/${random.uuid()}`,
    offer,
    // Meetings begin on the half hour.
    startMs: Math.ceil(startMs / (30 * minuteMs)) * 30 * minuteMs,
    createdMs,
    location: locationOf(random, offer, invitee),
    guests: random.chance(0.2) ? [`guest.${random.int(100, 999)}@example.test`] : [],
    updatedMs: createdMs,
    status: 'active',
    total: 0,
    active: 0,
  };
}

function locationOf(random: Random, offer: Offer, invitee: Person): JsonRecord {
  switch (offer.location) {
    case 'zoom': {
      const id = random.int(10_000_000_000, 99_999_999_999);
      return {
        type: 'zoom',
        status: 'pushed',
        join_url: `https://zoom.example.test/j/${id}`,
        data: { id, settings: {}, extra: null },
      };
    }
    case 'google_conference':
      // Often still being made when the booking is told; no later event announces the link.
      return random.chance(0.3)
        ? { type: 'google_conference', status: 'processing', join_url: null }
        : {
            type: 'google_conference',
            status: 'pushed',
            join_url: `https://meet.example.test/${random.uuid().slice(0, 8)}`,
          };
    case 'outbound_call':
      return { type: 'outbound_call', location: invitee.phone };
    case 'physical':
      return { type: 'physical', location: '12 Harbour Street, second floor' };
  }
}

export function meetingRecord(world: World, meeting: Meeting): JsonRecord {
  const { offer } = meeting;
  const hosts = offer.poolingType === 'collective' ? world.hosts.slice(0, 2) : [offer.host];
  return {
    uri: meeting.uri,
    name: offer.name,
    meeting_notes_plain: null,
    meeting_notes_html: null,
    status: meeting.status,
    start_time: wireTime(meeting.startMs),
    end_time: wireTime(meeting.startMs + offer.minutes * minuteMs),
    event_type: offer.uri,
    location: meeting.location,
    invitees_counter: { total: meeting.total, active: meeting.active, limit: offer.seats },
    created_at: wireTime(meeting.createdMs),
    updated_at: wireTime(meeting.updatedMs),
    event_memberships: hosts.map((host) => ({ user: host.uri, user_email: host.email, user_name: host.name })),
    event_guests: meeting.guests.map((email) => ({
      email,
      created_at: wireTime(meeting.createdMs),
      updated_at: wireTime(meeting.createdMs),
    })),
  };
}

/** The next working slot a booking made at `fromMs` may get: from one hour to two weeks ahead. */
export function laterSlot(random: Random, fromMs: number): number {
  return fromMs + random.int(1, 14 * 24) * hourMs;
}
