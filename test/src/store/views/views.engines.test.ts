// The views over a small world (its picture is in `counted-bookings.ts`), on each store: golden files that were counted by hand, and which
// journeys a copy has to read again. For any facts in any order: views-property.engines.test.ts.
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { delivery, ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { expectGolden, yamlOf } from '../../../harness/golden.ts';
import { inOrder, viewRows } from '../../../harness/mirror/view-rows.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { ingestRead, availableEngines, freshMemory, ingestBodies, rowsOf } from '../../../harness/stores.ts';

const bookedAt = january(20);
const times = { created_at: bookedAt, updated_at: bookedAt };
const invitee = (id: string, more: object): string =>
  delivery('invitee.created', bookedAt, { ...times, uri: uri('invitees', id), ...more });

// What the tests of changes add is not in the golden files.
for (const { name: engine, fresh } of availableEngines)
  describe(`in a small world on ${engine}`, { shuffle: false }, () => {
    const opened = openedOnce(fresh);
    beforeAll(async () => {
      await ingestCountedBookings(opened.store);
      await catchUpBookings(opened.store);
    });

    it.each([
      ['booking_journeys', 'a chain of reschedules is one journey, also through a booking never seen'],
      ['bookings_daily', 'each day has what happened on it'],
      ['no_show_rate', 'no-shows are counted by event type, host, weekday and hour, month, and where they came from'],
      ['scheduled_event_hosts', 'every host of a meeting is a row'],
      ['scheduled_event_guests', 'every guest of a meeting is a row'],
      ['routing_funnel', 'each form says how many of its submissions were booked, and how many of those were held'],
      ['revenue', 'a payment counts once however often its booking was moved, and only when it succeeded'],
    ])('%s: %s', async (name) => {
      await expectGolden(yamlOf(await viewRows(opened.store, name)), `golden/${name}.txt`);
    });

    const changedAfter = async (seq: number) =>
      (await viewRows(opened.store, 'booking_journey_changes'))
        .filter((row) => Number(row['changed_seq']) > seq)
        .map((row) => row['journey_uri']);

    it('the changes of journeys have one row for each journey', async () => {
      const journeys = (await viewRows(opened.store, 'booking_journeys')).map((row) => row['journey_uri']);
      expect(await changedAfter(0)).toEqual(journeys);
      expect(await changedAfter(await lastSeq(opened.store))).toEqual([]);
    });

    const H1 = { uri: uri('events', 'H1'), name: 'Renamed', updated_at: january(20) };
    it.each([
      ['to which a booking was added', invitee('A4', { old_invitee: uri('invitees', 'A3') }), ['A1']],
      ['of a meeting that changed', invitee('Z1', { event: H1.uri, scheduled_event: H1 }), ['H1', 'Z1']],
      [
        'of a meeting that a recap comes late for',
        delivery('meeting_recap.created', january(20), {
          uri: uri('meeting_recaps', '1'),
          event: { uri: uri('events', 'G1'), attendees: [{ host: true, user_email: 'host@example.test' }] },
        }),
        ['G1'],
      ],
    ])('the changes of journeys name each one %s, and no other', async (_what, body, changed) => {
      const seq = await lastSeq(opened.store);
      await ingestBodies(opened.store, [body]);
      expect(await changedAfter(seq)).toEqual(changed.map((id) => uri('invitees', id)));
    });

    it('hosts who speak, by their names or addresses, are no evidence that an invitee came', async () => {
      const { store } = opened;
      const attendees = [{ host: true, user_name: 'The Host', user_email: 'host@example.test' }];
      const recap = { uri: uri('meeting_recaps', '2'), event: { uri: H1.uri, attendees } };
      const record = { uri: recap.uri, speakers: ['the host', 'HOST@example.test'] };
      await ingestBodies(store, [delivery('meeting_recap.created', january(20), recap)]);
      const read = { kind: 'meeting_recap_transcript', record, observed: january(20) } as const;
      await ingestRead(store, [read], january(20));
      const held = (await viewRows(store, 'booking_journeys')).filter((row) => row['event_uri'] === H1.uri);
      expect(held.map((row) => row['attendance'])).toEqual(['suspected_no_show', 'suspected_no_show']);
    });

    it('the changes of journeys name those that an erasure changes, after all that came before it', async () => {
      const { store } = opened;
      const seq = await lastSeq(store);
      await ingestBodies(store, [invitee('Z2', { email: 'zoe@example.test', name: 'Zoe' }), invitee('Z3', {})]);
      const erased = { kind: 'uri', uri: uri('invitees', 'Z2') } as const;
      await erase({ store, newKey: () => 'k'.repeat(64) }, erased, { now: january(22), only: true });
      const changes = (await rowsOf(store, 'bookings')).filter((row) => Number(row['changed_seq']) > seq);
      expect(inOrder(changes, ['journey_uri'])).toMatchObject([
        { journey_uri: uri('invitees', 'Z2'), invitee_name: null, changed_seq: await lastSeq(store) },
        { journey_uri: uri('invitees', 'Z3') },
      ]);
    });
  });

/** How many parentheses and cases are open at once, at most. */
function nesting(text: string): number {
  let [open, most] = [0, 0];
  for (const [token] of text.matchAll(/'[^']*'|"[^"]*"|[()]|\b(?:case|end)\b/g)) {
    open += token === '(' || token === 'case' ? 1 : token === ')' || token === 'end' ? -1 : 0;
    most = Math.max(most, open);
  }
  expect(open).toBe(0);
  return most;
}

// SQLite before 3.46 parses with a stack of 100 symbols. One view that needs more makes the whole file unreadable ("malformed database
// schema"). SQLite 3.40 reads a view of 18 levels inside another select, and refuses one of 22.
it('no view is nested too deeply for earlier versions of SQLite, which parse the text in the file', async () => {
  await using opened = await freshMemory({ reportTimezone: 'America/New_York' });
  const { rows } = await sql<{ name: string; text: string }>`select name, sql as text from sqlite_master
    where type = 'view'`.execute(opened.store.db);
  expect(rows.length).toBeGreaterThan(10);
  // Comments have apostrophes of their own.
  const tooDeep = rows.filter(({ text }) => nesting(text.replaceAll(/\/\*.*?\*\/|--.*/g, '')) > 19);
  expect(tooDeep).toEqual([]);
});
