// The next page of the feed: the one way in which the API, the streams, the command line and the sinks read the log.
import type { Store, Unit } from '#src/store/contract.ts';
import { readFeedRows, type FeedFilter, type FeedRange } from '#src/store/log/feed.ts';
import { entryOf, type FeedEntry } from './entry.ts';

export interface FeedPage {
  /** None only at the end of the log. Fewer than asked for where they are large. */
  readonly entries: readonly FeedEntry[];
  /** Continue from here: past what the filter left out, too. */
  readonly nextAfter: number;
}

export async function readFeed(from: Store | Unit, filter: FeedFilter, place: FeedRange): Promise<FeedPage> {
  const { rows, nextAfter } = await readFeedRows(from, filter, place);
  return { entries: rows.map(entryOf), nextAfter };
}
