// An endless, believable story: people book, cancel, reschedule and miss meetings, contacts change and go, recaps appear.
// Later facts speak of earlier ones, so the tables a stream fills make sense when looked at.
import type { EventKind } from '#schemas/events.ts';
import { changeContact, contactRecord, makeContact } from './contact.ts';
import type { ContactCard } from './contact.ts';
import { eventTypeRecord } from './event-type.ts';
import { cancelBooking, inviteeRecord, makeBooking, markNoShow, unmarkNoShow } from './invitee.ts';
import type { Booking } from './invitee.ts';
import { changeRecap, makeRecap, recapRecord } from './meeting-recap.ts';
import type { Recap } from './meeting-recap.ts';
import { makePerson } from './person.ts';
import { randomOf } from './random.ts';
import type { Random } from './random.ts';
import { submissionRecord } from './routing-form.ts';
import { dayMs, hourMs, wireTime } from './sample.ts';
import type { JsonRecord, SampleDelivery } from './sample.ts';
import { laterSlot, makeMeeting } from './scheduled-event.ts';
import type { Meeting } from './scheduled-event.ts';
import { makeWorld } from './world.ts';
import type { Offer, World } from './world.ts';

export interface StreamOptions {
  readonly seed: number;
  readonly now: () => Date;
}

/** What the story remembers. Bounded: an endless stream must not grow without end. */
interface Story {
  readonly world: World;
  readonly random: Random;
  /** Strictly later at every call, so that no two facts of the story share an instant. */
  readonly tick: () => number;
  readonly contacts: ContactCard[];
  readonly bookings: Booking[];
  readonly noShows: Booking[];
  readonly recaps: Recap[];
  readonly groups: Map<string, Meeting>;
}

const remembered = 400;

type Chapter = (story: Story) => Generator<SampleDelivery>;

const chapters: readonly (readonly [weight: number, chapter: Chapter])[] = [
  [34, book],
  [10, cancel],
  [10, reschedule],
  [9, miss],
  [4, forgive],
  [18, changeSomeone],
  [3, deleteSomeone],
  [7, recap],
  [3, reviseRecap],
  [1, dropRecap],
  [1, reviseOffer],
];
const totalWeight = chapters.reduce((sum, [weight]) => sum + weight, 0);

export function* sampleStream({ seed, now }: StreamOptions): Generator<SampleDelivery, never> {
  const world = makeWorld(seed);
  let lastMs = -Infinity;
  const tick = (): number => (lastMs = Math.max(now().getTime(), lastMs + 1));
  const random = randomOf(seed, 'stream');
  const story: Story = { world, random, tick, contacts: [], bookings: [], noShows: [], recaps: [], groups: new Map() };
  for (const offer of world.offers) yield tell(story, 'event_type.created', (atMs) => offerRecord(offer, atMs));
  while (true) yield* nextChapter(random)(story);
}

function nextChapter(random: Random): Chapter {
  let left = random.next() * totalWeight;
  return chapters.find(([weight]) => (left -= weight) < 0)?.[1] ?? book;
}

function tell({ world, tick }: Story, event: EventKind, payload: (atMs: number) => JsonRecord): SampleDelivery {
  const atMs = tick();
  return { event, payload: payload(atMs), created_at: wireTime(atMs), created_by: world.hosts[0]?.uri ?? world.organization };
}

function* book(story: Story): Generator<SampleDelivery> {
  const { world, random } = story;
  const known = random.chance(0.4) ? some(story, story.contacts) : undefined;
  const person = known?.person ?? makePerson(random);
  const offer = random.pick(world.offers);
  let submission: string | undefined;
  if (random.chance(0.25)) {
    const told = tell(story, 'routing_form_submission.created', (atMs) => submissionRecord(world, random, { person, offer, atMs }));
    submission = String(told.payload['uri']);
    yield told;
  }
  const createdMs = story.tick();
  const meeting = meetingFor(story, { offer, createdMs, person });
  const booking = makeBooking(random, { person, meeting, createdMs, ...(submission === undefined ? {} : { submission }) });
  remember(story.bookings, booking);
  yield tell(story, 'invitee.created', () => inviteeRecord(world, booking));
  if (known === undefined) {
    const card = makeContact(world, random, { person, atMs: story.tick() });
    remember(story.contacts, card);
    yield tell(story, 'contact.created', () => contactRecord(card));
  }
}

// Group offers fill one meeting until it is full. Half of the rest lie in the past, so that there is something to miss.
function meetingFor({ random, groups }: Story, plan: { offer: Offer; createdMs: number; person: Booking['person'] }): Meeting {
  const { offer, createdMs, person } = plan;
  const open = groups.get(offer.uri);
  if (open !== undefined && open.active < offer.seats) return open;
  const startMs = random.chance(0.5) ? createdMs - random.int(1, 48) * hourMs : laterSlot(random, createdMs);
  const meeting = makeMeeting(random, { offer, startMs, createdMs: Math.min(createdMs, startMs - dayMs), invitee: person });
  if (offer.kind === 'group') groups.set(offer.uri, meeting);
  return meeting;
}

function* cancel(story: Story): Generator<SampleDelivery> {
  const booking = take(story, story.bookings);
  if (booking === undefined) return;
  yield tell(story, 'invitee.canceled', (atMs) => {
    cancelBooking(story.random, booking, atMs);
    return inviteeRecord(story.world, booking);
  });
}

/** Two deliveries, in either order: the old booking is canceled, the new one points back at it. It is not churn. */
function* reschedule(story: Story): Generator<SampleDelivery> {
  const { world, random } = story;
  const old = take(story, story.bookings);
  if (old === undefined) return;
  const atMs = story.tick();
  const { offer } = old.meeting;
  const meeting = makeMeeting(random, { offer, startMs: laterSlot(random, atMs), createdMs: atMs, invitee: old.person });
  const booking = makeBooking(random, { person: old.person, meeting, createdMs: atMs, replaces: old });
  cancelBooking(random, old, atMs);
  old.newInvitee = booking.uri;
  remember(story.bookings, booking);
  const canceled = tell(story, 'invitee.canceled', () => inviteeRecord(world, old));
  const created = tell(story, 'invitee.created', () => inviteeRecord(world, booking));
  yield* random.chance(0.5) ? [canceled, created] : [created, canceled];
}

function* miss(story: Story): Generator<SampleDelivery> {
  const started = story.bookings.filter((booking) => booking.noShow === null && booking.meeting.startMs < story.tick());
  const booking = some(story, started);
  if (booking === undefined) return;
  remember(story.noShows, booking);
  yield tell(story, 'invitee_no_show.created', (atMs) => {
    markNoShow(story.random, booking, atMs);
    return inviteeRecord(story.world, booking);
  });
}

function* forgive(story: Story): Generator<SampleDelivery> {
  const booking = take(story, story.noShows);
  if (booking === undefined) return;
  unmarkNoShow(booking);
  yield tell(story, 'invitee_no_show.deleted', () => inviteeRecord(story.world, booking));
}

function* changeSomeone(story: Story): Generator<SampleDelivery> {
  const card = some(story, story.contacts);
  if (card === undefined) return;
  yield tell(story, 'contact.updated', (atMs) => {
    changeContact(story.world, story.random, { card, atMs });
    return contactRecord(card);
  });
}

function* deleteSomeone(story: Story): Generator<SampleDelivery> {
  const card = take(story, story.contacts);
  if (card === undefined) return;
  yield tell(story, 'contact.deleted', (atMs) => ({ uri: card.uri, deleted_at: wireTime(atMs) }));
}

function* recap(story: Story): Generator<SampleDelivery> {
  const held = story.bookings.filter((booking) => booking.noShow === null && booking.meeting.startMs < story.tick());
  const booking = some(story, held);
  if (booking === undefined) return;
  yield tell(story, 'meeting_recap.created', (atMs) => {
    const made = makeRecap(story.random, booking, atMs);
    remember(story.recaps, made);
    return recapRecord(made);
  });
}

function* reviseRecap(story: Story): Generator<SampleDelivery> {
  const revised = some(story, story.recaps);
  if (revised === undefined) return;
  yield tell(story, 'meeting_recap.updated', (atMs) => {
    changeRecap(story.random, revised, atMs);
    return recapRecord(revised);
  });
}

function* dropRecap(story: Story): Generator<SampleDelivery> {
  const dropped = take(story, story.recaps);
  if (dropped === undefined) return;
  yield tell(story, 'meeting_recap.deleted', (atMs) => ({ uri: dropped.uri, deleted_at: wireTime(atMs) }));
}

function* reviseOffer(story: Story): Generator<SampleDelivery> {
  yield tell(story, 'event_type.updated', (atMs) => offerRecord(story.random.pick(story.world.offers), atMs));
}

function offerRecord(offer: Offer, atMs: number): JsonRecord {
  return eventTypeRecord(offer, { createdMs: atMs, updatedMs: atMs });
}

function some<Item>({ random }: Story, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : random.pick(items);
}

function take<Item>({ random }: Story, items: Item[]): Item | undefined {
  return items.length === 0 ? undefined : items.splice(random.int(0, items.length - 1), 1)[0];
}

function remember<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > remembered) items.shift();
}
