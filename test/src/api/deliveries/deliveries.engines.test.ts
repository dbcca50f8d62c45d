// A search of the log that takes long. What each filter finds is in golden/filters-of-deliveries.txt of the API; that both stores find it, in
// log-search.engines.test.ts.
import { describe, expect, it } from 'vitest';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, receivedAt, oneEngine } from '../../../harness/stores.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';

const seqsOf = (body: { collection: readonly { readonly seq: number }[] }) => body.collection.map(({ seq }) => seq);

describe.each(oneEngine)('a search of the log on $name', ({ fresh }) => {
  it('says how far it came when it takes too long, and continues from there, both ways', async () => {
    let now = 0;
    await using api = await openReadApi(fresh, { clock: () => (now += 1_000) });
    await ingestBodies(
      api.store,
      Array.from({ length: 13 }, (_, version) => contactDelivery({ id: 'one', version })),
    );
    await api.store.db.updateTable('event_log').set({ seq: 3_500 }).where('seq', '=', 13).execute();
    const pages: unknown[] = [];
    const read = async (query: string) => {
      const { body } = await api.get(`/api/deliveries?${query}`);
      pages.push([seqsOf(body), body.stopped_at?.seq]);
      if (body.stopped_at) expect(body.stopped_at.received_at).toBe(receivedAt);
      return body.pagination;
    };
    let token: string | null = (await read('q=name+one+7')).next_page_token;
    let previous: string | null = null;
    while (token !== null)
      ({ next_page_token: token, previous_page_token: previous } = await read(`page_token=${token}`));
    const stops = [3_001, 2_501, 2_001, 1_501, 1_001, 501];
    expect(pages).toEqual([...stops.map((seq) => [[], seq]), [[8], undefined]]);
    // Backwards, the page before a page without records is found as well.
    const { body } = await api.get(`/api/deliveries?page_token=${previous}`);
    expect([seqsOf(body), body.stopped_at?.seq]).toEqual([[], 508]);
    const again = await api.get(`/api/deliveries?page_token=${body.pagination.next_page_token}`);
    expect(seqsOf(again.body)).toEqual([8]);
    const other = await api.get(`/api/deliveries?q=other&page_token=${body.pagination.next_page_token}`);
    expect([other.status, other.body.message]).toEqual([400, expect.stringContaining('another q')]);
  });
});
