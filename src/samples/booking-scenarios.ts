// Chapters about bookings: made, canceled, rescheduled, missed, forgiven.
import { contactRecord, makeContact } from './contact.ts';
import { cancelBooking, inviteeRecord, makeBooking, markNoShow, unmarkNoShow } from './invitee.ts';
import type { Booking } from './invitee.ts';
import { makePerson } from './person.ts';
import { submissionRecord } from './routing-form.ts';
import { dayMs, hourMs } from './sample.ts';
import type { SampleDelivery } from './sample.ts';
import { laterSlot, makeMeeting } from './scheduled-event.ts';
import type { Meeting } from './scheduled-event.ts';
import { remember, some, take, tell } from './story-state.ts';
import type { Story } from './story-state.ts';
import type { Offer } from './sample-organization.ts';

export function* book(story: Story): Generator<SampleDelivery> {
  const { world, random } = story;
  const known = random.chance(0.4) ? some(story, story.contacts) : undefined;
  const person = known?.person ?? makePerson(random);
  const offer = random.pick(world.offers);
  let submission: string | undefined;
  if (random.chance(0.25)) {
    const told = tell(story, 'routing_form_submission.created', (atMs) =>
      submissionRecord(world, random, { person, offer, atMs }),
    );
    submission = String(told.payload['uri']);
    yield told;
  }
  const createdMs = story.tick();
  const meeting = meetingFor(story, { offer, createdMs, person });
  const booking = makeBooking(random, {
    person,
    meeting,
    createdMs,
    ...(submission === undefined ? {} : { submission }),
  });
  remember(story.bookings, booking);
  yield tell(story, 'invitee.created', () => inviteeRecord(world, booking));
  if (known === undefined) {
    const card = makeContact(world, random, { person, atMs: story.tick() });
    remember(story.contacts, card);
    yield tell(story, 'contact.created', () => contactRecord(card));
  }
}

// Group offers fill one meeting until it is full. Half of the rest lie in the past, so that there is something to miss.
function meetingFor(
  { random, groups }: Story,
  plan: { offer: Offer; createdMs: number; person: Booking['person'] },
): Meeting {
  const { offer, createdMs, person } = plan;
  const open = groups.get(offer.uri);
  if (open !== undefined && open.active < offer.seats) return open;
  const startMs = random.chance(0.5) ? createdMs - random.int(1, 48) * hourMs : laterSlot(random, createdMs);
  const meeting = makeMeeting(random, {
    offer,
    startMs,
    createdMs: Math.min(createdMs, startMs - dayMs),
    invitee: person,
  });
  if (offer.kind === 'group') groups.set(offer.uri, meeting);
  return meeting;
}

export function* cancel(story: Story): Generator<SampleDelivery> {
  const booking = take(story, story.bookings);
  if (booking === undefined) return;
  yield tell(story, 'invitee.canceled', (atMs) => {
    cancelBooking(story.random, booking, atMs);
    return inviteeRecord(story.world, booking);
  });
}

/** Two deliveries, in either order: the old booking is canceled, the new one points back at it. It is not churn. */
export function* reschedule(story: Story): Generator<SampleDelivery> {
  const { world, random } = story;
  const old = take(story, story.bookings);
  if (old === undefined) return;
  const atMs = story.tick();
  const { offer } = old.meeting;
  const meeting = makeMeeting(random, {
    offer,
    startMs: laterSlot(random, atMs),
    createdMs: atMs,
    invitee: old.person,
  });
  const booking = makeBooking(random, { person: old.person, meeting, createdMs: atMs, replaces: old });
  cancelBooking(random, old, atMs);
  old.newInvitee = booking.uri;
  remember(story.bookings, booking);
  const canceled = tell(story, 'invitee.canceled', () => inviteeRecord(world, old));
  const created = tell(story, 'invitee.created', () => inviteeRecord(world, booking));
  yield* random.chance(0.5) ? [canceled, created] : [created, canceled];
}

export function* miss(story: Story): Generator<SampleDelivery> {
  const started = story.bookings.filter((booking) => booking.noShow === null && booking.meeting.startMs < story.tick());
  const booking = some(story, started);
  if (booking === undefined) return;
  remember(story.noShows, booking);
  yield tell(story, 'invitee_no_show.created', (atMs) => {
    markNoShow(story.random, booking, atMs);
    return inviteeRecord(story.world, booking);
  });
}

export function* forgive(story: Story): Generator<SampleDelivery> {
  const booking = take(story, story.noShows);
  if (booking === undefined) return;
  unmarkNoShow(booking);
  yield tell(story, 'invitee_no_show.deleted', () => inviteeRecord(story.world, booking));
}
