// The controls take the words people try: either name of an invitee, and null for nothing.
import { expect, it } from 'vitest';
import { openBooker, type Booker } from '../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../harness/sandbox.ts';

let booker: Booker;
const sandbox = openForSuite({ contacts: 1, bookings: 1, rateLimits: false }, async (opened) => {
  booker = await openBooker(opened);
});

it.each(['uri', 'invitee'])('the invitee a control is about is named by `%s`', async (word) => {
  const named = { [word]: (await booker.booked()).uri };
  expect((await sandbox.control('POST', '/no_shows', named)).body.resource.no_show).not.toBeNull();
  expect((await sandbox.control('DELETE', '/no_shows', named)).body.resource.no_show).toBeNull();
  const start_time = booker.freshTime();
  const moved = await sandbox.control('POST', '/invitees/reschedule', { ...named, start_time });
  expect(moved.body.resource).toMatchObject({ status: 'active', old_invitee: named[word] });
  const canceled = await sandbox.control('POST', '/invitees/cancel', { [word]: moved.body.resource.uri });
  expect(canceled.body.resource).toMatchObject({ status: 'canceled' });
});

it('null says the same as leaving a field out', async () => {
  const recap = await sandbox.control('POST', '/meeting_recaps', { event: null, user: null, summary_md: 'Short' });
  expect(recap.body.resource).toMatchObject({ user: sandbox.handles.users.owner, summary_md: 'Short' });
  const nothing = { uri: recap.body.resource.uri, share_link: null, attendees: null, start_time: null };
  expect((await sandbox.control('PATCH', '/meeting_recaps', nothing)).body).toEqual(recap.body);
  expect((await sandbox.control('POST', '/faults', { drop: null, status: null, delay_ms: null })).body).toEqual({});
});
