// The routing funnel on the admin listener, on every store. How submissions are listed is in the golden files of the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows } from '#src/store/rows.ts';
import { ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { oneEngine, storeEngines } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';

const range = 'from=2025-01-01&to=2025-01-31';
const urisIn = (body: { collection: readonly { uri: string }[] }) => body.collection.map((each) => each.uri);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`routing on ${engine.name}`, () => {
    async function openWorld() {
      const api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      return api;
    }
    let world: Awaited<ReturnType<typeof openWorld>>;
    beforeAll(async () => void (world = await openWorld()));
    afterAll(() => world[Symbol.asyncDispose]());

    it('the funnel counts as the view does, and follows bookings that were moved', async () => {
      const { status, body } = await world.get(`/api/routing?${range}`);
      expect(status).toBe(200);
      const view = (await viewRows(world.store, 'routing_funnel')).map(
        ({ booking_rate: _rate, held_rate: _held, ...counts }) => counts,
      );
      const forms = body.forms.toSorted((a: { routing_form: string }, b: { routing_form: string }) =>
        a.routing_form < b.routing_form ? -1 : 1,
      );
      expect(forms).toMatchObject(view);
      expect(body).toMatchObject({
        from: '2025-01-01T00:00:00.000000Z',
        to: '2025-02-01T00:00:00.000000Z',
        total: { submissions: 5, to_event_type: 3, unbooked: 0, booked: 3, held: 1, no_shows: 1, canceled: 1 },
      });
    });

    it('the funnel counts the range that is asked for, thirty days by default', async () => {
      const submissions = async (query: string) => (await world.get(`/api/routing?${query}`)).body.total.submissions;
      expect(await submissions('')).toBe(0);
      expect(await submissions('to=2025-01-31')).toBe(0);
      expect(await submissions('to=2025-01-30')).toBe(5);
      expect(await submissions('from=2025-01-02&to=2025-02-01')).toBe(0);
      expect(await submissions(`${range}&routing_form=${uri('forms', 'help')}`)).toBe(1);
      for (const query of ['from=yesterday', 'to=2025-13-01', 'form=1'])
        expect((await world.get(`/api/routing?${query}`)).status).toBe(400);
    });

    // Chains and pages do not depend on the engine.
    if (!oneEngine.some(({ name }) => name === engine.name)) return;

    it('links that run in a circle end, and count as booked', async () => {
      await using api = await openWorld();
      const loop = (one: string, other: string) => ({
        uri: uri('invitees', one),
        rescheduled: true,
        new_invitee: uri('invitees', other),
        routing_form_submission: uri('submissions', '4'),
      });
      await api.store.transaction(async (unit) => {
        await writeRows(unit, 'invitees', [loop('x', 'y'), loop('y', 'x')]);
        await refillBookings(unit);
      });
      const { body } = await api.get(`/api/routing?${range}`);
      expect(body.total).toMatchObject({ unbooked: 0, booked: 4, held: 1, canceled: 1 });
    });

    it('a booking counts by its last time, also where only that one says that it was moved', async () => {
      await using api = await openWorld();
      await api.store.transaction(async (unit) => {
        await writeRows(unit, 'invitees', [
          { uri: uri('invitees', 'p'), routing_form_submission: uri('submissions', '4') },
          { uri: uri('invitees', 'q'), old_invitee: uri('invitees', 'p'), status: 'canceled' },
        ]);
        await refillBookings(unit);
      });
      expect((await api.get(`/api/routing?${range}`)).body.total).toMatchObject({ booked: 4, canceled: 2 });
      const { body } = await api.get('/api/routing/submissions?result_type=external_url');
      expect(body.collection).toMatchObject([{ outcome: 'canceled', booking: { invitee: uri('invitees', 'q') } }]);
    });

    it('a rare match far back is found page by page, each with limited work', async () => {
      await using api = await openReadApi(engine.fresh);
      const rows = Array.from({ length: 5_003 }, (_, n) => ({
        uri: uri('routing_form_submissions', String(n).padStart(4, '0')),
        created_at: `2025-01-01T${String(Math.floor(n / 3600)).padStart(2, '0')}:${String(Math.floor(n / 60) % 60).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000000Z`,
        utm_source: n === 0 ? 'rare' : 'usual',
      }));
      await api.store.transaction((unit) => writeRows(unit, 'routing_form_submissions', rows));
      const { body: first } = await api.get('/api/routing/submissions?utm_source=rare');
      expect(first.collection).toEqual([]);
      const { body: second } = await api.get(`/api/routing/submissions?page_token=${first.pagination.next_page_token}`);
      expect(urisIn(second)).toEqual([uri('routing_form_submissions', '0000')]);
      expect(second.pagination.next_page_token).toBeNull();
    });
  });
