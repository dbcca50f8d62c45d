// The views over a small world, counted by hand (its picture is in `small-world.ts`), on each store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { january, ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { storeEngines, type TestStore } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';

const intro = uri('event_types', 'intro');
const demo = uri('event_types', 'demo');
const hour = 3_600;

for (const engine of storeEngines)
  describe.runIf(engine.available)(`in a small world on ${engine.name}`, () => {
    let opened: TestStore;
    beforeAll(async () => {
      opened = await engine.fresh();
      await ingestCountedBookings(opened.store);
    });
    afterAll(() => opened[Symbol.asyncDispose]());
    const rows = (name: string) => viewRows(opened.store, name);

    it('a chain of reschedules is one journey, also through a booking never seen', async () => {
      const journeys = await rows('booking_journeys');
      const brief = journeys.map((row) => [
        row['journey_uri'],
        row['last_invitee'],
        row['invitees'],
        row['moves'],
        row['outcome'],
      ]);
      const invitee = (id: string) => uri('invitees', id);
      expect(brief).toEqual([
        [invitee('A1'), invitee('A3'), 3, 2, 'held'],
        [invitee('B1'), invitee('B3'), 2, 2, 'no_show'],
        [invitee('C1'), invitee('C1'), 1, 0, 'late_cancellation'],
        [invitee('D1'), invitee('D1'), 1, 0, 'canceled_by_invitee'],
        [invitee('E1'), invitee('E1'), 1, 0, 'canceled_by_host'],
        [invitee('F1'), invitee('F1'), 1, 0, 'canceled'],
        [invitee('G1'), invitee('G1'), 1, 0, 'upcoming'],
        [invitee('H1'), invitee('H1'), 1, 0, 'held'],
        [invitee('I1'), invitee('I1'), 1, 1, 'rescheduled'],
      ]);
    });

    it('a journey says whence it came as at first, and where it stands as in the end', async () => {
      const [moved, missed, late] = await rows('booking_journeys');
      expect(moved).toEqual({
        journey_uri: uri('invitees', 'A1'),
        first_invitee: uri('invitees', 'A1'),
        last_invitee: uri('invitees', 'A3'),
        invitees: 3,
        moves: 2,
        event_type: intro,
        event_type_name: 'Introduction',
        host: uri('users', 'ada'),
        invitee_email: 'A@example.test',
        invitee_name: 'Guest A',
        utm_source: 'mail',
        utm_medium: null,
        utm_campaign: null,
        utm_content: null,
        utm_term: null,
        booked_at: january(1),
        first_start_time: january(3),
        start_time: january(6),
        end_time: january(6, '09:30:00'),
        lead_time_seconds: 5 * 24 * hour,
        outcome: 'held',
        canceled_at: null,
        canceler_type: null,
        cancel_notice_seconds: null,
        no_show_at: null,
        event_uri: uri('events', 'A3'),
        contact_uri: uri('contacts', 'a'),
        host_name: 'Ada',
        duration_seconds: hour / 2,
        invitee_timezone: 'Europe/Berlin',
        cancel_reason: null,
        scheduling_method: null,
        routing_form_submission: uri('submissions', '1'),
        location_kind: 'zoom',
        payment_provider: 'stripe',
        payment_external_id: 'ch_1',
        payment_amount: 20,
        payment_currency: 'EUR',
        payment_successful: true,
        attendance: 'unconfirmed',
        attendance_basis: null,
        host_timezone: 'America/New_York',
        start_day_host: '2025-01-06',
        start_weekday_host: 1,
        start_hour_host: 4,
        start_day_invitee: '2025-01-06',
        start_weekday_invitee: 1,
        start_hour_invitee: 10,
      });
      expect(missed).toMatchObject({ no_show_at: january(7, '15:10:00'), start_time: january(7, '14:30:00') });
      expect(late).toMatchObject({
        canceler_type: 'invitee',
        cancel_notice_seconds: 2 * hour,
        cancel_reason: 'No time',
      });
    });

    it('each day has what happened on it', async () => {
      const days = (await rows('bookings_daily')).map((row) => [
        row['day'],
        row['event_type'] === intro ? row['event_type_name'] : row['event_type'],
        ...['booked', 'rescheduled', 'canceled', 'held', 'no_shows'].map((name) => row[name]),
      ]);
      expect(days).toEqual([
        ['2025-01-01', 'Introduction', 4, 0, 0, 0, 0],
        ['2025-01-02', demo, 2, 0, 0, 0, 0],
        ['2025-01-02', 'Introduction', 3, 1, 0, 0, 0],
        ['2025-01-03', 'Introduction', 0, 2, 2, 0, 0],
        ['2025-01-04', 'Introduction', 0, 1, 0, 0, 0],
        ['2025-01-05', 'Introduction', 0, 0, 1, 0, 0],
        ['2025-01-06', demo, 0, 0, 0, 1, 0],
        ['2025-01-06', 'Introduction', 0, 0, 0, 1, 0],
        ['2025-01-07', 'Introduction', 0, 0, 0, 0, 1],
        ['2025-01-08', 'Introduction', 0, 0, 1, 0, 0],
      ]);
    });

    it('no-shows are counted by event type, by every host, by weekday and hour, and by where they came from', async () => {
      const all = await rows('no_show_rate');
      const rates = all
        .filter(({ dimension }) => !String(dimension).endsWith('month'))
        .map((row) => ['dimension', 'value', 'label', 'held', 'no_shows', 'rate'].map((name) => row[name]));
      const nothing = ['utm_campaign', 'utm_content', 'utm_medium'].map((tag) => [tag, '', '', 2, 1, 1 / 3]);
      expect(rates).toEqual([
        ['event_type', demo, 'A talk', 1, 0, 0],
        ['event_type', intro, 'Introduction', 1, 1, 0.5],
        ['host', uri('users', 'ada'), 'Ada', 2, 0, 0],
        ['host', uri('users', 'ben'), 'Host ben', 1, 1, 0.5],
        ['hour', '09', '09:00', 2, 0, 0],
        ['hour', '14', '14:00', 0, 1, 1],
        ['hour_host', '', '', 0, 1, 1],
        ['hour_host', '04', '04:00', 2, 0, 0],
        ['hour_invitee', '10', '10:00', 2, 0, 0],
        ['hour_invitee', '15', '15:00', 0, 1, 1],
        ...nothing,
        ['utm_source', 'mail', 'mail', 2, 0, 0],
        ['utm_source', 'web', 'web', 0, 1, 1],
        ['utm_term', '', '', 2, 1, 1 / 3],
        ['weekday', '1', 'Monday', 2, 0, 0],
        ['weekday', '2', 'Tuesday', 0, 1, 1],
        ['weekday_host', '', '', 0, 1, 1],
        ['weekday_host', '1', 'Monday', 2, 0, 0],
        ['weekday_hour', '1-09', 'Monday 09:00', 2, 0, 0],
        ['weekday_hour', '2-14', 'Tuesday 14:00', 0, 1, 1],
      ]);
    });

    it('no-shows are also counted by month: all together, by event type and by host', async () => {
      const all = await rows('no_show_rate');
      const months = all.filter(({ dimension }) => String(dimension).endsWith('month'));
      const month = '2025-01';
      expect(all.filter((row) => row['month'] !== '')).toEqual(months);
      expect(
        months.map((row) => ['dimension', 'value', 'label', 'held', 'no_shows', 'rate', 'month'].map((n) => row[n])),
      ).toEqual([
        ['event_type_month', demo, 'A talk', 1, 0, 0, month],
        ['event_type_month', intro, 'Introduction', 1, 1, 0.5, month],
        ['host_month', uri('users', 'ada'), 'Ada', 2, 0, 0, month],
        ['host_month', uri('users', 'ben'), 'Host ben', 1, 1, 0.5, month],
        ['month', month, 'January 2025', 2, 1, 1 / 3, month],
      ]);
    });

    it('every host and every guest of a meeting is a row', async () => {
      const event_uri = uri('events', 'H1');
      const ofH1 = (all: readonly Record<string, unknown>[]) => all.filter((row) => row['event_uri'] === event_uri);
      const host = { event_uri, email: null };
      expect(ofH1(await rows('scheduled_event_hosts'))).toEqual([
        { ...host, position: 1, user_uri: uri('users', 'ada'), name: 'Ada' },
        { ...host, position: 2, user_uri: uri('users', 'ben'), name: 'Host ben' },
      ]);
      expect(await rows('scheduled_event_guests')).toEqual([
        { event_uri, position: 1, email: 'guest-1@example.test' },
        { event_uri, position: 2, email: 'guest-2@example.test' },
      ]);
    });

    it('each form says how many of its submissions were booked, and how many of those were held', async () => {
      expect(await rows('routing_funnel')).toEqual([
        {
          routing_form: uri('forms', 'help'),
          routing_form_name: null,
          submissions: 1,
          to_event_type: 0,
          to_external_url: 0,
          to_custom_message: 1,
          booked: 0,
          upcoming: 0,
          held: 0,
          no_shows: 0,
          canceled: 0,
          booking_rate: 0,
          held_rate: null,
        },
        {
          routing_form: uri('forms', 'sales'),
          routing_form_name: 'Sales',
          submissions: 4,
          to_event_type: 3,
          to_external_url: 1,
          to_custom_message: 0,
          booked: 3,
          upcoming: 0,
          held: 1,
          no_shows: 1,
          canceled: 1,
          booking_rate: 0.75,
          held_rate: 1 / 3,
        },
      ]);
    });

    it('a payment counts once however often its booking was moved, and only when it succeeded', async () => {
      expect(await rows('revenue')).toEqual([
        {
          day: '2025-01-01',
          currency: 'EUR',
          provider: 'stripe',
          event_type: intro,
          event_type_name: 'Introduction',
          payments: 1,
          amount: 20,
        },
        {
          day: '2025-01-02',
          currency: 'USD',
          provider: 'stripe',
          event_type: demo,
          event_type_name: 'A talk',
          payments: 1,
          amount: 5,
        },
      ]);
    });
  });
