// Whatever is booked, canceled, moved, marked and unmarked, in whatever order: the books of the sandbox stay right.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inviteePayload, inviteeResource, type InviteeResource } from '#schemas/resources/invitee.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { HttpError } from '#src/http/http-error.ts';
import { book, cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { markNoShow, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import type { Fact, Service } from '#src/sandbox/world/service.ts';
import { createBookingWorld, fixedNowMs, type BookingWorld } from '../../../../harness/sandbox/bookings.ts';
import { propertyTimeoutMs, runs } from '../../../../harness/runs.ts';

const slot = fc.integer({ min: -1, max: 1 }).map((days) => instantOf(fixedNowMs + days * dayMs));
const which = fc.nat({ max: 30 });
const forOne = ['Intro call', 'Product demo', 'Office visit', 'Coaching session'];
const offers = [...forOne, 'Workshop for two', 'Panel interview'];
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('book'), offer: fc.constantFrom(...offers), slot, which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel'), which, byHost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('move'), which, slot }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('mark', 'unmark'), which }) },
);
type Step = (typeof step extends fc.Arbitrary<infer Value> ? Value : never) & { readonly slot?: string };

it('keeps every record and every fact right', { timeout: propertyTimeoutMs }, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const world = createBookingWorld();
      const workshop = { ...world.offer('Onboarding workshop'), name: 'Workshop for two', seats: 2 };
      world.service.state.eventTypes.put(workshop);
      for (const one of steps) {
        world.facts.length = 0;
        const before = JSON.stringify([
          ...world.service.state.invitees.values(),
          ...world.service.state.scheduledEvents.values(),
        ]);
        const wasRefused = refuses(() => take(world, one as Step));
        if (wasRefused) {
          expect(world.facts).toEqual([]);
          const after = [...world.service.state.invitees.values(), ...world.service.state.scheduledEvents.values()];
          expect(JSON.stringify(after)).toBe(before);
        } else expect(world.facts.length).toBeGreaterThan(0);
        for (const fact of world.facts) checkFact(world.service, fact);
      }
      checkBooks(world.service);
    }),
    runs(40),
  );
});

function refuses(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (error instanceof HttpError && error.status === 400) return true;
    throw error;
  }
}

function take(world: BookingWorld, one: Step): void {
  const { service } = world;
  const invitees = [...service.state.invitees.values()];
  const invitee = invitees[one.which % Math.max(1, invitees.length)];
  if (one.does === 'book' && 'offer' in one) {
    const email = `person${one.which % 4}@example.test`;
    const person = { email, timezone: 'UTC', name: 'Person' };
    book(service, { eventType: world.offer(one.offer), startTime: one.slot, invitee: person, method: null });
  } else if (invitee === undefined)
    throw new HttpError(400, { title: 'No invitee', message: 'There is no invitee yet.' });
  else if (one.does === 'cancel') cancelInvitee(service, invitee, { cancelerType: 'invitee', reason: null });
  else if (one.does === 'move') rescheduleInvitee(service, invitee, { startTime: one.slot ?? '' });
  else if (one.does === 'mark') markNoShow(service, invitee);
  else unmarkNoShow(service, invitee);
}

/** What is sent is the current record, with the right hosts. */
function checkFact({ state }: Service, { event, payload, users, organization }: Fact): void {
  if (!event.startsWith('invitee')) return expect(event).toBe('contact.created');
  const sent = inviteePayload.parse(payload);
  const { scheduled_event, ...invitee } = sent;
  expect(state.invitees.get(sent.uri)).toEqual(invitee);
  expect(state.scheduledEvents.get(sent.event)).toEqual(scheduled_event);
  expect(users).toEqual(scheduled_event.event_memberships.map(({ user }) => user));
  expect(organization).toBe(state.users.get(users[0] ?? '')?.current_organization);
}

function checkBooks({ state }: Service): void {
  const ofEvent = Map.groupBy(state.invitees.values(), ({ event }) => event);
  for (const event of state.scheduledEvents.values()) {
    scheduledEventResource.parse(event);
    const invitees = ofEvent.get(event.uri) ?? [];
    const active = invitees.filter(({ status }) => status === 'active').length;
    expect(event.invitees_counter).toMatchObject({ total: invitees.length, active });
    expect(active).toBeLessThanOrEqual(event.invitees_counter.limit);
    const isOver = event.invitees_counter.limit === 1 && active === 0;
    expect(event.status).toBe(isOver ? 'canceled' : 'active');
    expect(event.cancellation === undefined).toBe(!isOver);
  }
  for (const invitee of state.invitees.values()) checkInvitee(state, invitee);
}

function checkInvitee(state: Service['state'], invitee: InviteeResource): void {
  inviteeResource.parse(invitee);
  const { status, rescheduled, new_invitee, old_invitee, cancellation, uri } = invitee;
  expect(cancellation === undefined).toBe(status === 'active');
  expect(rescheduled).toBe(new_invitee !== null);
  if (new_invitee !== null) expect(state.invitees.get(new_invitee)?.old_invitee).toBe(uri);
  if (old_invitee !== null) expect(state.invitees.get(old_invitee)?.new_invitee).toBe(uri);
}
