// An endless, believable story: people book, cancel, reschedule and miss meetings, contacts change and go, recaps appear.
// Later facts speak of earlier ones, so the tables a stream fills make sense when looked at.
import { book, cancel, forgive, miss, reschedule } from './booking-scenarios.ts';
import { changeSomeone, deleteSomeone } from './contact-scenarios.ts';
import { eventTypeRecord } from './event-type.ts';
import { randomOf } from './random.ts';
import type { Random } from './random.ts';
import { dropRecap, reviseRecap, writeRecap } from './recap-scenarios.ts';
import type { JsonRecord, SampleDelivery } from './sample.ts';
import { tell } from './story-state.ts';
import type { Chapter, Story } from './story-state.ts';
import { makeWorld } from './sample-organization.ts';
import type { Offer } from './sample-organization.ts';

export interface StreamOptions {
  readonly seed: number;
  readonly now: () => Date;
}

const chapters: readonly (readonly [weight: number, chapter: Chapter])[] = [
  [34, book],
  [10, cancel],
  [10, reschedule],
  [9, miss],
  [4, forgive],
  [18, changeSomeone],
  [3, deleteSomeone],
  [7, writeRecap],
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

function* reviseOffer(story: Story): Generator<SampleDelivery> {
  yield tell(story, 'event_type.updated', (atMs) => offerRecord(story.random.pick(story.world.offers), atMs));
}

function offerRecord(offer: Offer, atMs: number): JsonRecord {
  return eventTypeRecord(offer, { createdMs: atMs, updatedMs: atMs });
}
