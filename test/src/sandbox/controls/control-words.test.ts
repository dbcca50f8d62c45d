// The controls take the words people try, and say what they would have taken.
import { describe, expect, it } from 'vitest';
import { openBooker, type Booker } from '../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

let booker: Booker;
const sandbox = openForSuite({ contacts: 1, bookings: 1, rateLimits: false }, async (opened) => {
  booker = await openBooker(opened);
});

const details = async (path: string, body: object) => (await sandbox.control('POST', path, body)).body.details;

describe('the invitee a control is about', () => {
  it.each(['uri', 'invitee'])('is named by `%s`', async (word) => {
    const named = { [word]: (await booker.booked()).uri };
    expect((await sandbox.control('POST', '/no_shows', named)).body.resource.no_show).not.toBeNull();
    expect((await sandbox.control('DELETE', '/no_shows', named)).body.resource.no_show).toBeNull();
    const start_time = booker.freshTime();
    const moved = await sandbox.control('POST', '/invitees/reschedule', { ...named, start_time });
    expect(moved.body.resource).toMatchObject({ status: 'active', old_invitee: named[word] });
    const canceled = await sandbox.control('POST', '/invitees/cancel', { [word]: moved.body.resource.uri });
    expect(canceled.body.resource).toMatchObject({ status: 'canceled' });
  });

  it('is asked for by the usual word, and complained of by the word that was used', async () => {
    const strange = `${sandbox.handles.base_url}/scheduled_events/1/invitees/1`;
    expect(await details('/no_shows', {})).toEqual([{ parameter: 'invitee', message: 'required' }]);
    expect(await details('/invitees/cancel', {})).toEqual([{ parameter: 'uri', message: 'required' }]);
    expect(await details('/no_shows', { uri: strange })).toMatchObject([{ parameter: 'uri' }]);
    expect(await details('/no_shows', { invitee: strange })).toMatchObject([{ parameter: 'invitee' }]);
    const { uri } = await booker.booked();
    expect(await details('/no_shows', { invitee: uri, uri: strange })).toMatchObject([{ parameter: 'uri' }]);
    expect(await sandbox.control('POST', '/no_shows', { invitee: uri, uri })).toMatchObject({ status: 200 });
  });
});

describe('a DELETE without a body', () => {
  it('says in its query what is meant', async () => {
    const { uri } = await booker.booked();
    await sandbox.control('POST', '/no_shows', { invitee: uri });
    const path = `/no_shows?invitee=${encodeURIComponent(uri)}`;
    expect(await sandbox.control('DELETE', path)).toMatchObject({ status: 200, body: { resource: { no_show: null } } });
    expect(await sandbox.control('DELETE', '/no_shows')).toMatchObject({ status: 400 });
  });
});

describe('null', () => {
  it('says the same as leaving a field out', async () => {
    const recap = await sandbox.control('POST', '/meeting_recaps', { event: null, user: null, summary_md: 'Short' });
    expect(recap).toMatchObject({ status: 200, body: { resource: { user: sandbox.handles.users.owner } } });
    const { uri } = recap.body.resource;
    const nothing = { share_link: null, attendees: null, start_time: null };
    expect((await sandbox.control('PATCH', '/meeting_recaps', { uri, ...nothing })).body).toEqual(recap.body);
    const submission = { routing_form: null, answers: null, tracking: null };
    expect(await sandbox.control('POST', '/routing_form_submissions', submission)).toMatchObject({ status: 200 });
    expect((await sandbox.control('POST', '/faults', { drop: null, status: null, delay_ms: null })).body).toEqual({});
  });
});

describe('a control that refuses', () => {
  it('says what it takes', async () => {
    const chance = 'expected a number from 0 to 1, true or false';
    for (const drop of ['often', 2, -1])
      expect(await details('/faults', { drop })).toMatchObject([{ message: chance }]);
    for (const status of ['often', 404, 600])
      expect(await details('/faults', { status })).toMatchObject([
        { message: `${chance}, or a status from 500 to 599` },
      ]);
    expect(await details('/plan', { contacts_feature: 'maybe' })).toMatchObject([
      { message: 'expected true, false, enabled, disabled, enterprise_only' },
    ]);
    expect(await details('/routing_form_submissions', { answers: 7 })).toMatchObject([
      { message: 'expected answers as strings: in the order of the questions, or by question' },
    ]);
    expect((await details('/roles', { user: sandbox.handles.users.member, role: 'king' }))[0].message).toContain(
      'member',
    );
    expect(await details('/roles', {})).toMatchObject([{ message: 'required' }, { message: 'required' }]);
  });
});

describe('the front door', () => {
  it.each(['/', '/_sandbox/'])(
    '%s shows people to the documentation and tells programs where things are',
    async (path) => {
      const { base_url } = sandbox.handles;
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const shown = await fetch(base_url + path, { headers, redirect: 'manual' });
      expect([shown.status, shown.headers.get('location')]).toEqual([302, '/_sandbox']);
      expect((await fetch(base_url + path, { headers })).headers.get('content-type')).toContain('text/html');
      expect(await (await fetch(base_url + path)).json()).toEqual({
        service: base_url,
        sandbox: `${base_url}/_sandbox`,
        authorization_server: `${base_url}/.well-known/oauth-authorization-server`,
      });
    },
  );
});
