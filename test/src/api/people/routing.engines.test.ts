// The routing funnel and the submissions on the admin listener, on every store.
import { describe, expect, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows } from '#src/store/rows.ts';
import { january, ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';
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

    it('the funnel counts as the view does, and follows bookings that were moved', async () => {
      await using api = await openWorld();
      const { status, body } = await api.get(`/api/routing?${range}`);
      expect(status).toBe(200);
      const view = (await viewRows(api.store, 'routing_funnel')).map(
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
      await using api = await openWorld();
      const submissions = async (query: string) => (await api.get(`/api/routing?${query}`)).body.total.submissions;
      expect(await submissions('')).toBe(0);
      expect(await submissions('to=2025-01-31')).toBe(0);
      expect(await submissions('to=2025-01-30')).toBe(5);
      expect(await submissions('from=2025-01-02&to=2025-02-01')).toBe(0);
      expect(await submissions(`${range}&routing_form=${uri('forms', 'help')}`)).toBe(1);
      for (const query of ['from=yesterday', 'to=2025-13-01', 'form=1'])
        expect((await api.get(`/api/routing?${query}`)).status).toBe(400);
    });

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

    it('submissions say what became of them, newest first', async () => {
      await using api = await openWorld();
      const { body } = await api.get('/api/routing/submissions');
      const brief = body.collection.map((each: Record<string, unknown>) => [each['uri'], each['outcome']]);
      const named = (id: string, outcome: string | null) => [uri('submissions', id), outcome];
      expect(brief).toEqual([
        named('5', null),
        named('4', null),
        named('3', 'canceled'),
        named('2', 'no_show'),
        named('1', 'held'),
      ]);
      expect(body.collection.at(-1)).toMatchObject({
        routing_form_name: 'Sales',
        result_type: 'event_type',
        created_at: january(1),
        booking: { invitee: uri('invitees', 'A3'), name: 'Guest A', event_name: 'A talk', start_time: january(6) },
      });
    });

    it('submissions are filtered, and paged both ways within a filter', async () => {
      await using api = await openWorld();
      const found = async (query: string) => urisIn((await api.get(`/api/routing/submissions?${query}`)).body);
      const named = (...ids: readonly string[]) => ids.map((id) => uri('submissions', id));
      expect(await found('booked=false')).toEqual(named('5', '4'));
      expect(await found('booked=true')).toEqual(named('3', '2', '1'));
      expect(await found('result_type=external_url')).toEqual(named('4'));
      expect(await found(`routing_form=${uri('forms', 'help')}`)).toEqual(named('5'));
      expect(await found('utm_source=mail')).toEqual([]);
      expect(await found('from=2025-01-02')).toEqual([]);
      const { body: first } = await api.get('/api/routing/submissions?booked=true&count=2');
      const { body: second } = await api.get(
        `/api/routing/submissions?count=2&page_token=${first.pagination.next_page_token}`,
      );
      expect([urisIn(first), urisIn(second)]).toEqual([named('3', '2'), named('1')]);
      expect(second.pagination.next_page_token).toBeNull();
      const { body: back } = await api.get(
        `/api/routing/submissions?count=2&page_token=${second.pagination.previous_page_token}`,
      );
      expect(urisIn(back)).toEqual(named('3', '2'));
      const refused = await api.get(
        `/api/routing/submissions?booked=false&page_token=${first.pagination.next_page_token}`,
      );
      expect(refused.status).toBe(400);
    });

    it('one is shown with its answers, however odd they are', async () => {
      await using api = await openWorld();
      const payload = {
        uri: uri('routing_form_submissions', 'odd'),
        created_at: january(9),
        questions_and_answers: [{ question: '<script>', answer: null }],
        result: { type: 'custom_message', value: { headline: 'Sorry', body: 'No' } },
        tracking: { utm_source: 'mail' },
      };
      const event = 'routing_form_submission.created';
      await ingestBodies(api.store, [JSON.stringify({ event, created_at: january(9), payload })]);
      const { status, body } = await api.get('/api/routing/submissions/odd');
      expect([status, body.resource]).toMatchObject([
        200,
        {
          questions_and_answers: [{ question: '<script>', answer: null }],
          result: { headline: 'Sorry', body: 'No' },
          tracking: { utm_source: 'mail' },
          outcome: null,
          booking: null,
        },
      ]);
      for (const id of ['none', '1', "'", '%'])
        expect((await api.get(`/api/routing/submissions/${encodeURIComponent(id)}`)).status).toBe(404);
    });

    it('one without a booking says who submitted it, and that the same address booked later', async () => {
      await using api = await openWorld();
      const payload = {
        uri: uri('routing_form_submissions', 'lead'),
        created_at: january(9),
        questions_and_answers: [
          { question: 'Name', answer: 'Zoë' },
          { question: 'E-mail', answer: ' ZOE@example.test' },
        ],
        result: { type: 'event_type', value: uri('event_types', 'intro') },
      };
      const booking = { uri: uri('invitees', 'zoe'), email: 'zoe@example.test', created_at: january(10) };
      await ingestBodies(api.store, [
        JSON.stringify({ event: 'routing_form_submission.created', created_at: january(9), payload }),
        JSON.stringify({ event: 'invitee.created', created_at: january(10), payload: booking }),
      ]);
      const { body } = await api.get('/api/routing/submissions?booked=false&result_type=event_type');
      expect(body.collection).toMatchObject([
        { uri: payload.uri, unbooked: { name: 'Zoë', email: 'ZOE@example.test', booked_otherwise: booking.uri } },
      ]);
      expect((await api.get('/api/routing/submissions/5')).body.resource?.unbooked ?? null).toBeNull();
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
