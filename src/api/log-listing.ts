// Pages of the log by the conventions of every other list: newest first, each page beginning where the one before it ended.
import { type Page, type PageRequest, listing, type Listing } from '#src/http/pagination.ts';
import type { Store } from '#src/store/contract.ts';
import { readDeliveries, type DeliveryFilter, type DeliveryLine } from '#src/store/log/log-search.ts';

export async function logPage(store: Store, filter: DeliveryFilter, request: PageRequest): Promise<Listing> {
  const { count, from, backwards } = request;
  const found = await readDeliveries(store, filter, {
    from: from && Number(from.key),
    newer: backwards,
    // One more than asked for tells whether there are more.
    limit: count + 1,
  });
  const isMore = found.length > count;
  const items = found.slice(0, count);
  const page: Page<DeliveryLine> = {
    items: backwards ? items.toReversed() : items,
    hasPrevious: backwards ? isMore : from !== undefined,
    hasNext: backwards || isMore,
    positionOf: ({ seq }) => ({ key: String(seq), uri: '' }),
  };
  return listing(page, (line) => line);
}
