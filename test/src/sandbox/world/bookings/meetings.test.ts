// Who hosts a meeting, by the pooling of its event type.
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { book, cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { addReadyLinks, updateMeeting } from '#src/sandbox/world/bookings/meetings.ts';
import { createBookingWorld, fixedNowMs, type BookingWorld } from '../../../../harness/sandbox/booking-world.ts';

const startTime = instantOf(fixedNowMs + dayMs);
const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada' };

function bookOne(world: BookingWorld, name: string, at = startTime) {
  return book(world.service, { eventType: world.offer(name), startTime: at, invitee, method: null });
}
const hostsOf = ({ service }: BookingWorld, { event }: { event: string }): readonly string[] =>
  service.state.scheduledEvents.get(event)?.event_memberships.map(({ user }) => user) ?? [];

describe('the hosts of a meeting', () => {
  it.each([
    ['the one host of an event type without pooling', 'Intro call', ['owner']],
    ['all of a collective', 'Office visit', ['owner', 'member']],
  ] as const)('are %s', (_, name, hosts) => {
    const world = createBookingWorld();
    expect(hostsOf(world, bookOne(world, name))).toEqual(hosts.map((host) => world.handles.users[host]));
  });

  it('are two of several pools', () => {
    const world = createBookingWorld();
    expect(new Set(hostsOf(world, bookOne(world, 'Panel interview'))).size).toBe(2);
  });

  it('take turns in a round robin: on one day no host gets a second meeting before all had one', () => {
    const world = createBookingWorld();
    const { hosts } = world.offer('Product demo');
    const seen = hosts.flatMap(() => hostsOf(world, bookOne(world, 'Product demo')));
    expect(seen.toSorted()).toEqual(hosts.toSorted());
  });

  it('are busy no longer with what was canceled', () => {
    const world = createBookingWorld();
    const first = bookOne(world, 'Product demo');
    cancelInvitee(world.service, first, { cancelerType: 'host', reason: null });
    const { hosts } = world.offer('Product demo');
    const seen = hosts.flatMap(() => hostsOf(world, bookOne(world, 'Product demo')));
    expect(seen.toSorted()).toEqual(hosts.toSorted());
  });
});

describe('a booking that is moved', () => {
  it('keeps who comes, what was paid and answered, and where it led from', () => {
    const world = createBookingWorld();
    const first = book(world.service, {
      eventType: world.offer('Coaching session'),
      startTime,
      invitee: { email: 'ada@example.test', timezone: 'UTC', first_name: 'Ada', last_name: 'Rossi' },
      location: { kind: 'outbound_call', location: '+12025550147' },
      answers: [{ question: 'What would you like to talk about?', answer: 'Rest', position: 0 }],
      tracking: { utm_source: 'letter' },
      guests: ['guest@example.test'],
      submission: 'http://sandbox.test/routing_form_submissions/1',
      method: 'instant_book',
    });
    const moved = rescheduleInvitee(world.service, first, { startTime: instantOf(fixedNowMs + 2 * dayMs) });
    const { uri, event, created_at, updated_at, cancel_url, reschedule_url, ...rest } = moved;
    expect(rest).toMatchObject({
      first_name: 'Ada',
      last_name: 'Rossi',
      name: 'Ada Rossi',
      payment: first.payment,
      questions_and_answers: first.questions_and_answers,
      tracking: first.tracking,
      routing_form_submission: first.routing_form_submission,
      scheduling_method: 'instant_book',
    });
    const meeting = world.service.state.scheduledEvents.get(event);
    expect(meeting).toMatchObject({
      location: { type: 'outbound_call', location: '+12025550147' },
      event_guests: [{ email: 'guest@example.test' }],
    });
    expect([uri, cancel_url, reschedule_url]).not.toEqual([first.uri, first.cancel_url, first.reschedule_url]);
    expect(created_at > first.created_at && updated_at === created_at).toBe(true);
  });

  it('is refused once its event type is deleted, or so late that no year has room for it', () => {
    const world = createBookingWorld();
    const first = bookOne(world, 'Intro call');
    expect(() => rescheduleInvitee(world.service, first, { startTime: '9999-12-31T23:59:00.000000Z' })).toThrow(
      'invalid',
    );
    world.service.state.eventTypes.delete(world.offer('Intro call').uri);
    expect(() => rescheduleInvitee(world.service, first, { startTime })).toThrow('invalid');
    expect(world.service.state.invitees.get(first.uri)).toBe(first);
  });
});

describe('a meeting', () => {
  it('ends to the microsecond after its duration', () => {
    const world = createBookingWorld();
    const { event } = bookOne(world, 'Intro call', '2026-07-02T10:00:00.123456Z');
    expect(world.service.state.scheduledEvents.get(event)?.end_time).toBe('2026-07-02T10:30:00.123456Z');
  });

  it('on Google is sometimes sent before its link is made, and then has none', () => {
    const world = createBookingWorld();
    const places = Array.from({ length: 40 }, () => {
      const { event } = bookOne(world, 'Discovery call');
      return world.service.state.scheduledEvents.get(event)?.location;
    });
    const processing = places.filter((place) => place?.status === 'processing');
    expect(processing.length).toBeGreaterThan(0);
    expect(processing.length).toBeLessThan(40);
    expect(processing.every((place) => place?.join_url === null)).toBe(true);
    const pushed = places.filter((place) => place?.status === 'pushed');
    expect(pushed.every((place) => place?.join_url?.startsWith('https://'))).toBe(true);
  });

  it('has its link a minute after it was booked, and nothing announces it', () => {
    const world = createBookingWorld();
    const { state, clock } = world.service;
    const booked = Array.from({ length: 20 }, () => bookOne(world, 'Discovery call').event);
    const { length } = world.facts;
    const linkless = () => booked.filter((uri) => state.scheduledEvents.get(uri)?.location.join_url === null).length;
    clock.advance(59_000);
    addReadyLinks(world.service);
    expect(linkless()).toBeGreaterThan(0);
    clock.advance(2_000);
    addReadyLinks(world.service);
    expect(linkless()).toBe(0);
    expect(world.facts.length).toBe(length);
  });

  it('gets another host and another link without an event', () => {
    const world = createBookingWorld();
    const { state } = world.service;
    const meeting = state.scheduledEvents.get(bookOne(world, 'Discovery call').event);
    const host = state.users.get(world.handles.users.member);
    if (!meeting || !host) throw new Error('no meeting');
    const { length } = world.facts;
    updateMeeting(world.service, meeting, { host, join_url: 'https://meet.example.test/other' });
    const { event_memberships, location } = state.scheduledEvents.get(meeting.uri) ?? meeting;
    expect(event_memberships.map(({ user }) => user)).toEqual([host.uri]);
    expect(location.join_url).toBe('https://meet.example.test/other');
    expect(world.facts.length).toBe(length);
  });
});
