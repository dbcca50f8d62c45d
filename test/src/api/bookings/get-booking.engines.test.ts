// One booking: found by any invitee of its chain, with a timeline whose points name the log entries they come from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertRows } from '#src/store/rows.ts';
import { ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

interface Point {
  readonly kind: string;
  readonly at: string;
  readonly sentence: string;
  readonly seq: number | null;
  readonly delivery_id: string | null;
}

const mark = (event: string, at: string, id = '2') =>
  JSON.stringify({
    event: `invitee_no_show.${event}`,
    created_at: at,
    payload: {
      uri: uri('invitees', 'A3'),
      no_show: event === 'created' ? { uri: uri('no_shows', id), created_at: at } : null,
      updated_at: at,
    },
  });

const recap = JSON.stringify({
  event: 'meeting_recap.created',
  created_at: january(6, '11:00:00'),
  payload: {
    uri: uri('recaps', '1'),
    summary_md: 'They will buy.',
    created_at: january(6, '11:00:00'),
    event: { uri: uri('events', 'A3'), name: 'A talk' },
  },
});

for (const engine of storeEngines)
  describe.runIf(engine.available)(`a booking on ${engine.name}`, () => {
    let api: Awaited<ReturnType<typeof openReadApi>>;
    beforeAll(async () => {
      api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      await ingestBodies(api.store, [mark('created', january(6, '10:00:00'))]);
      await ingestBodies(api.store, [mark('deleted', january(6, '10:30:00'))]);
      await ingestBodies(api.store, [recap]);
      const at = january(6, '10:05:00');
      await api.store.transaction((unit) =>
        insertRows(unit, 'alerts', [
          {
            id: 'one',
            rule: 'missed',
            subject_uri: uri('invitees', 'A3'),
            state: 'sent',
            channel: 'slack',
            attempts: 1,
            fact: uri('no_shows', '2'),
            episode: 1,
            occurred_at: at,
            due_at: at,
            next_at: at,
            sent_at: at,
            created_at: at,
            updated_at: at,
          },
        ]),
      );
    });
    afterAll(() => api[Symbol.asyncDispose]());
    const get = async (uuid: string) => (await api.get(`/api/bookings/${uuid}`)).body.resource;

    it('is found by every invitee of its chain', async () => {
      const booking = await get('A1');
      expect(booking).toMatchObject({
        journey_uri: uri('invitees', 'A1'),
        moves: 2,
        outcome: 'held',
        meeting: {
          uri: uri('events', 'A3'),
          location: 'zoom',
          join_url: 'https://zoom.example.test/1',
          link_pending: false,
          hosts: [{ uri: uri('users', 'ada'), name: 'Ada', email: null, timezone: 'America/New_York' }],
        },
        payment: { amount: 20, currency: 'EUR', successful: true },
        contact: { uri: uri('contacts', 'a'), name: 'Guest A' },
        recaps: [{ summary_md: 'They will buy.' }],
        no_shows: [{ no_show_uri: uri('no_shows', '2'), unmarked_at: january(6, '10:30:00') }],
        alerts: [{ rule: 'missed', state: 'sent' }],
      });
      expect(booking.bookings.map(({ uuid }: { uuid: string }) => uuid)).toEqual(['A1', 'A2', 'A3']);
      expect(await get('A2')).toEqual(booking);
      expect(await get('A3')).toEqual(booking);
      for (const uuid of ['none', '%00', "'", 'A1%2Fx'])
        expect((await api.get(`/api/bookings/${uuid}`)).status).toBe(404);
    });

    it('says while the link of its meeting is being created', async () => {
      const location = { type: 'google_conference', status: 'processing', join_url: null };
      const created_at = january(7);
      const scheduled_event = {
        uri: uri('events', 'L1'),
        status: 'active',
        location,
        created_at,
        updated_at: created_at,
      };
      const payload = { uri: uri('invitees', 'L1'), event: scheduled_event.uri, scheduled_event, created_at };
      await ingestBodies(api.store, [JSON.stringify({ event: 'invitee.created', created_at, payload })]);
      expect(await get('L1')).toMatchObject({ meeting: { join_url: null, link_pending: true } });
    });

    it('has a timeline in order, each point with its log entry', async () => {
      const { timeline } = (await get('A1')) as { timeline: readonly Point[] };
      expect(timeline.map(({ at, kind }) => [at, kind])).toEqual([
        [january(1), 'form_submitted'],
        [january(1), 'booked'],
        [january(2), 'moved'],
        [january(3), 'moved'],
        [january(6, '09:30:00'), 'held'],
        [january(6, '10:00:00'), 'no_show_marked'],
        [january(6, '10:05:00'), 'alert_sent'],
        [january(6, '10:30:00'), 'no_show_unmarked'],
        [january(6, '11:00:00'), 'recap'],
      ]);
      for (const { kind, seq, delivery_id } of timeline) {
        if (['held', 'alert_sent'].includes(kind)) expect([seq, delivery_id]).toEqual([null, null]);
        else expect((await api.get(`/api/deliveries/${seq}`)).body.resource.delivery_id).toBe(delivery_id);
      }
      const eventOf = async (kind: string) => {
        const seq = timeline.find((point) => point.kind === kind)?.seq;
        return (await api.get(`/api/deliveries/${seq}`)).body.resource.event as string;
      };
      expect(await eventOf('booked')).toBe('invitee.created');
      expect(await eventOf('no_show_marked')).toBe('invitee_no_show.created');
      expect(await eventOf('no_show_unmarked')).toBe('invitee_no_show.deleted');
      expect(await eventOf('recap')).toBe('meeting_recap.created');
    });

    it('ends with a cancellation, a move to an unknown booking, or a meeting to come', async () => {
      const ends = async (uuid: string) => {
        const { timeline } = (await get(uuid)) as { timeline: readonly Point[] };
        return [timeline.at(-1)?.kind, timeline.at(-1)?.sentence];
      };
      expect(await ends('D1')).toEqual(['canceled', 'The invitee canceled A talk: No time']);
      expect(await ends('F1')).toEqual(['canceled', 'Canceled A talk: No time']);
      expect(await ends('I1')).toEqual(['moved_on', 'The invitee moved A talk to a booking that is not mirrored.']);
      expect(await ends('G1')).toEqual(['meeting', 'Start of A talk.']);
      const { timeline: missed } = (await get('B1')) as { timeline: readonly Point[] };
      expect(missed.find(({ kind }) => kind === 'meeting')?.sentence).toBe('Start of A talk.');
      expect(await ends('B1')).toEqual(['no_show_marked', 'Marked as a no-show for A talk.']);
    });
  });
