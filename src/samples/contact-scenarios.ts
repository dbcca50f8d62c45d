// Chapters about contacts: changed, deleted. They are created when someone new books.
import { changeContact, contactRecord } from './contact.ts';
import { wireTime } from './sample.ts';
import type { SampleDelivery } from './sample.ts';
import { some, take, tell } from './story-state.ts';
import type { Story } from './story-state.ts';

export function* changeSomeone(story: Story): Generator<SampleDelivery> {
  const card = some(story, story.contacts);
  if (card === undefined) return;
  yield tell(story, 'contact.updated', (atMs) => {
    changeContact(story.world, story.random, { card, atMs });
    return contactRecord(card);
  });
}

export function* deleteSomeone(story: Story): Generator<SampleDelivery> {
  const card = take(story, story.contacts);
  if (card === undefined) return;
  yield tell(story, 'contact.deleted', (atMs) => ({ uri: card.uri, deleted_at: wireTime(atMs) }));
}
