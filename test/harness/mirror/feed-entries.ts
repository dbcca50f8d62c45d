// Entries of the feed for tests that look at their number, their subject and their size only.
import type { FeedEntry } from '#src/feed/entry.ts';

export const feedEntryOf = (seq: number, text = `{"seq":${seq}}`): FeedEntry => ({
  seq,
  event: 'contact.updated',
  subjectUri: `https://api.example.test/contacts/${seq}`,
  occurredAt: null,
  receivedAt: '2025-04-14T12:00:00.000000Z',
  isDeletion: false,
  text,
});
