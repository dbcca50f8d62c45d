// The views over a small world (its picture is in `counted-bookings.ts`), on each store: golden files that were counted by hand. For any
// facts in any order: views-property.engines.test.ts.
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { delivery, ingestCountedBookings, january, uri } from '../../../harness/data/counted-bookings.ts';
import { expectGolden, yamlOf } from '../../../harness/golden.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { ingestRead, availableEngines, freshMemory, ingestBodies } from '../../../harness/stores.ts';

// What the last test adds is not in the golden files.
for (const { name: engine, fresh } of availableEngines)
  describe(`in a small world on ${engine}`, { shuffle: false }, () => {
    const opened = openedOnce(fresh);
    beforeAll(async () => {
      await ingestCountedBookings(opened.store);
    });

    it.each([
      ['bookings', 'a chain of reschedules is one booking, also through an invitee never seen'],
      ['booking_moments', 'what happened to a booking is one row, with the invitee to whom it happened'],
      ['bookings_daily', 'each day has what happened on it'],
      ['no_show_rate', 'no-shows are counted by event type, host, weekday and hour, month, and where they came from'],
      ['scheduled_event_hosts', 'every host of a meeting is a row'],
      ['scheduled_event_guests', 'every guest of a meeting is a row'],
      ['routing_funnel', 'each form says how many of its submissions were booked, and how the meetings ended'],
      ['routing_form_results', 'each submission says what became of it'],
      ['payments', 'each successful payment is a row, however often its booking was moved'],
      ['revenue', 'a payment counts once however often its booking was moved, and only when it succeeded'],
    ])('%s: %s', async (name) => {
      await expectGolden(yamlOf(await viewRows(opened.store, name)), `golden/${name}.txt`);
    });

    it('hosts who speak, by their names or addresses, are no evidence that an invitee came', async () => {
      const { store } = opened;
      const meeting = uri('events', 'H1');
      const attendees = [{ host: true, user_name: 'The Host', user_email: 'host@example.test' }];
      const recap = { uri: uri('meeting_recaps', '2'), event: { uri: meeting, attendees } };
      const record = { uri: recap.uri, speakers: ['the host', 'HOST@example.test'] };
      await ingestBodies(store, [delivery('meeting_recap.created', january(20), recap)]);
      const read = { kind: 'meeting_recap_transcript', record, observed: january(20) } as const;
      await ingestRead(store, [read], january(20));
      const theirs = (await viewRows(store, 'bookings')).filter((row) => row['event_uri'] === meeting);
      expect(theirs.map((row) => row['attendance'])).toEqual(['suspected_no_show']);
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
