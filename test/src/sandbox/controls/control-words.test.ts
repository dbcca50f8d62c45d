// The controls take the words people try, and say what they would have taken.
import { expect, it } from 'vitest';
import { openBooker, type Booker } from '../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

let booker: Booker;
const sandbox = openForSuite({ contacts: 1, bookings: 1, rateLimits: false }, async (opened) => {
  booker = await openBooker(opened);
});

const details = async (path: string, body: object) => (await sandbox.control('POST', path, body)).body.details;

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

it('the invitee a control is about is asked for by the usual word, and complained of by the word that was used', async () => {
  const strange = `${sandbox.handles.base_url}/scheduled_events/1/invitees/1`;
  expect(await details('/no_shows', {})).toEqual([{ parameter: 'invitee', message: 'required' }]);
  expect(await details('/invitees/cancel', {})).toEqual([{ parameter: 'uri', message: 'required' }]);
  for (const word of ['uri', 'invitee'])
    expect(await details('/no_shows', { [word]: strange })).toMatchObject([{ parameter: word }]);
  const { uri } = await booker.booked();
  expect(await details('/no_shows', { invitee: uri, uri: strange })).toMatchObject([{ parameter: 'uri' }]);
});

it('a DELETE without a body says in its query what is meant', async () => {
  const { uri } = await booker.booked();
  await sandbox.control('POST', '/no_shows', { invitee: uri });
  const path = `/no_shows?invitee=${encodeURIComponent(uri)}`;
  expect(await sandbox.control('DELETE', path)).toMatchObject({ status: 200, body: { resource: { no_show: null } } });
});

it('null says the same as leaving a field out', async () => {
  const recap = await sandbox.control('POST', '/meeting_recaps', { event: null, user: null, summary_md: 'Short' });
  expect(recap.body.resource).toMatchObject({ user: sandbox.handles.users.owner, summary_md: 'Short' });
  const nothing = { uri: recap.body.resource.uri, share_link: null, attendees: null, start_time: null };
  expect((await sandbox.control('PATCH', '/meeting_recaps', nothing)).body).toEqual(recap.body);
  expect((await sandbox.control('POST', '/faults', { drop: null, status: null, delay_ms: null })).body).toEqual({});
});

const chance = 'expected a number from 0 to 1, true or false';
it.each([
  ['/faults', { drop: 'often' }, chance],
  ['/faults', { status: 404 }, `${chance}, or a status from 500 to 599`],
  ['/plan', { contacts_feature: 'maybe' }, 'expected true, false, enabled, disabled, enterprise_only'],
  [
    '/routing_form_submissions',
    { answers: 7 },
    'expected answers as strings: in the order of the questions, or by question',
  ],
])('the control %s says of %j what it takes', async (path, body, message) => {
  expect((await details(path, body))[0]).toMatchObject({ message });
});
