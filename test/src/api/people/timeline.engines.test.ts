// The history of a person. What it says on every store is in golden/timelines.txt of the API.
import { describe, expect, it } from 'vitest';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { january, uri } from '../../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

interface Item {
  readonly time: string;
  readonly at: string;
  readonly kind: string;
  readonly sentence: string;
  readonly seq: number | null;
}

const path = '/api/contacts/a/timeline?count=100';

for (const engine of oneEngine)
  describe.runIf(engine.available)(`the history of a person on ${engine.name}`, () => {
    async function openWorld() {
      const api = await openReadApi(engine.fresh);
      await fillReadWorld(api.store);
      const items = async () => (await api.get(path)).body.collection as readonly Item[];
      return { ...api, items };
    }

    it('has the timelines of all bookings, with the same words and log entries', async () => {
      await using api = await openWorld();
      const timelines = await Promise.all(['A1', 'B1', 'B9'].map((id) => api.get(`/api/bookings/${id}`)));
      const points = timelines.flatMap(({ body }) => body.resource.timeline as readonly Item[]);
      const listed = (await api.items()).filter(({ kind }) => !kind.startsWith('contact_'));
      expect(points.map(({ at, sentence, seq }) => JSON.stringify([at, sentence, seq])).toSorted()).toEqual(
        listed.map(({ time, sentence, seq }) => JSON.stringify([time, sentence, seq])).toSorted(),
      );
      const entries = points.filter(({ sentence }) => sentence.startsWith('Marked')).map(({ seq }) => seq);
      expect(new Set(entries).size).toBe(entries.length);
    });

    it('of a deleted contact has nothing but its own changes', async () => {
      await using api = await openWorld();
      const payload = { uri: uri('contacts', 'a'), deleted_at: january(9) };
      await ingestBodies(api.store, [JSON.stringify({ event: 'contact.deleted', created_at: january(9), payload })]);
      const kinds = (await api.items()).map(({ kind }) => kind);
      expect(kinds).toEqual(['contact_deleted', 'contact_reported', 'contact_created']);
    });

    it('of an erased person names nothing', async () => {
      await using api = await openWorld();
      const now = '2025-05-01T00:00:00.000000Z';
      await erase({ store: api.store, newKey: () => 'k'.repeat(64) }, targetOf('a@example.test'), { now });
      expect((await api.items()).filter(({ kind }) => !kind.startsWith('contact_'))).toEqual([]);
      for (const address of [path, '/api/recaps', '/api/routing/submissions', '/api/contacts', '/api/bookings'])
        expect(JSON.stringify((await api.get(address)).body)).not.toMatch(/"a@example|Guest A|Acme|They will buy/i);
    });
  });
