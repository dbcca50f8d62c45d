// Who hosts a meeting, by the pooling of its event type; what a moved one keeps; when its link is there.
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { book, cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { addReadyLinks } from '#src/sandbox/world/bookings/meetings.ts';
import { createBookingWorld, fixedNowMs } from '../../../../harness/sandbox/bookings.ts';

const startTime = instantOf(fixedNowMs + dayMs);
const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada' };

function openWorld() {
  const world = createBookingWorld();
  const { service, offer } = world;
  const bookOne = (name: string, at = startTime) =>
    book(service, { eventType: offer(name), startTime: at, invitee, method: null });
  const meetingOf = ({ event }: { event: string }) => service.state.scheduledEvents.get(event);
  const hostsOf = (booked: { event: string }) => meetingOf(booked)?.event_memberships.map(({ user }) => user) ?? [];
  return { ...world, bookOne, meetingOf, hostsOf };
}

it('the hosts of a meeting are one, all of a collective, two of several pools, and in a round robin the one with the fewest meetings that day', () => {
  const { bookOne, hostsOf, handles, offer, service } = openWorld();
  const { owner, member } = handles.users;
  expect(hostsOf(bookOne('Intro call'))).toEqual([owner]);
  expect(hostsOf(bookOne('Office visit'))).toEqual([owner, member]);
  expect(new Set(hostsOf(bookOne('Panel interview'))).size).toBe(2);
  const nextDay = instantOf(fixedNowMs + 2 * dayMs);
  cancelInvitee(service, bookOne('Product demo', nextDay), { cancelerType: 'host', reason: null });
  const { hosts } = offer('Product demo');
  expect(hosts.flatMap(() => hostsOf(bookOne('Product demo', nextDay))).toSorted()).toEqual(hosts.toSorted());
});

describe('a booking that is moved', () => {
  it('keeps who comes, what was paid and answered, and where it led from', () => {
    const { service, offer, meetingOf } = openWorld();
    const first = book(service, {
      eventType: offer('Coaching session'),
      startTime,
      invitee: { email: 'ada@example.test', timezone: 'UTC', first_name: 'Ada', last_name: 'Rossi' },
      location: { kind: 'outbound_call', location: '+12025550147' },
      answers: [{ question: 'What would you like to talk about?', answer: 'Rest', position: 0 }],
      tracking: { utm_source: 'letter' },
      guests: ['guest@example.test'],
      submission: 'http://sandbox.test/routing_form_submissions/1',
      method: 'instant_book',
    });
    const moved = rescheduleInvitee(service, first, { startTime: instantOf(fixedNowMs + 2 * dayMs) });
    const { uri, event, cancel_url, reschedule_url, created_at } = moved;
    const own = { uri, event, cancel_url, reschedule_url, created_at, updated_at: created_at, old_invitee: first.uri };
    expect(moved).toEqual({ ...first, ...own });
    expect([uri, cancel_url, reschedule_url]).not.toEqual([first.uri, first.cancel_url, first.reschedule_url]);
    expect(created_at > first.created_at).toBe(true);
    const location = { ...meetingOf(first)?.location };
    expect(meetingOf(moved)).toMatchObject({ location, event_guests: [{ email: 'guest@example.test' }] });
  });
});

describe('a meeting', () => {
  it('on Google is sometimes sent before its link is made; a minute later the link is there, and nothing announces it', () => {
    const { bookOne, meetingOf, service, facts } = openWorld();
    const booked = Array.from({ length: 40 }, () => bookOne('Discovery call'));
    const { length } = facts;
    const places = () => booked.map((one) => meetingOf(one)?.location);
    const processing = () => places().filter((place) => place?.status === 'processing');
    expect(processing().length).toBeGreaterThan(0);
    expect(processing().length).toBeLessThan(40);
    expect(processing().every((place) => place?.join_url === null)).toBe(true);
    service.clock.advance(59_000);
    addReadyLinks(service);
    expect(processing().length).toBeGreaterThan(0);
    service.clock.advance(2_000);
    addReadyLinks(service);
    expect(places().every((place) => place?.status === 'pushed' && place.join_url?.startsWith('https://'))).toBe(true);
    expect(facts.length).toBe(length);
  });
});
