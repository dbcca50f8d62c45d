// Chapters about recaps of meetings that took place: written, revised, dropped.
import { changeRecap, makeRecap, recapRecord } from './meeting-recap.ts';
import { wireTime } from './sample.ts';
import type { SampleDelivery } from './sample.ts';
import { remember, some, take, tell } from './story-state.ts';
import type { Story } from './story-state.ts';

export function* writeRecap(story: Story): Generator<SampleDelivery> {
  const held = story.bookings.filter((booking) => booking.noShow === null && booking.meeting.startMs < story.tick());
  const booking = some(story, held);
  if (booking === undefined) return;
  yield tell(story, 'meeting_recap.created', (atMs) => {
    const made = makeRecap(story.random, booking, atMs);
    remember(story.recaps, made);
    return recapRecord(made);
  });
}

export function* reviseRecap(story: Story): Generator<SampleDelivery> {
  const revised = some(story, story.recaps);
  if (revised === undefined) return;
  yield tell(story, 'meeting_recap.updated', (atMs) => {
    changeRecap(story.random, revised, atMs);
    return recapRecord(revised);
  });
}

export function* dropRecap(story: Story): Generator<SampleDelivery> {
  const dropped = take(story, story.recaps);
  if (dropped === undefined) return;
  yield tell(story, 'meeting_recap.deleted', (atMs) => ({ uri: dropped.uri, deleted_at: wireTime(atMs) }));
}
