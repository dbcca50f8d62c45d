// Recaps: who was there, who sees those of one event, and what controls refuse. The rest is in test/conformance/meeting-recaps.test.ts.
import { describe, expect, it } from 'vitest';
import { createRecap } from '#src/sandbox/world/recaps.ts';
import { holdMeeting } from '../../../harness/sandbox/meetings.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

const sandbox = openForSuite();

it('a recap counts as attendees the hosts and those invitees who came', () => {
  const { service, handles } = sandbox;
  const { invitees } = service.state;
  const user = handles.users.member;
  const event = holdMeeting(service, { host: user, email: 'came@example.test' });
  const [came] = invitees.of('event', event.uri);
  if (came === undefined) throw new Error('there is no invitee');
  invitees.put({ ...came, uri: `${came.uri}1`, email: 'canceled@example.test', status: 'canceled' });
  const no_show = { uri: `${came.uri}/no_show`, created_at: came.created_at };
  invitees.put({ ...came, uri: `${came.uri}2`, email: 'missed@example.test', no_show });
  const host = event.event_memberships[0]?.user_email;
  expect(createRecap(service, { user, event }).attendees).toMatchObject([
    { host: true, user_email: host },
    { host: false, user_email: 'came@example.test' },
  ]);
});

describe('the recaps of one event', () => {
  const list = async (event: string, user?: string, as: 'member' | 'admin' = 'member') => {
    const query = { event, ...(user === undefined ? {} : { user }) };
    const { status, body } = await sandbox.call('GET', '/meeting_recaps', { as, query });
    return [status, body.collection?.map(({ uri }: { uri: string }) => uri).toSorted()];
  };

  it('are not there for a host once another’s is among them, unless only the own are asked for', async () => {
    const { member, admin } = sandbox.handles.users;
    const event = holdMeeting(sandbox.service, { host: member });
    const [own, other] = [member, admin].map((user) => createRecap(sandbox.service, { user, event }).uri);
    expect(await list(event.uri)).toEqual([403, undefined]);
    expect(await list(event.uri, admin)).toEqual([403, undefined]);
    expect(await list(event.uri, member)).toEqual([200, [own]]);
    expect(await list(event.uri, undefined, 'admin')).toEqual([200, [own, other].toSorted()]);
  });

  it('are not there for those who did not host it, and nowhere for an event that is not there', async () => {
    const event = holdMeeting(sandbox.service, { host: sandbox.handles.users.admin });
    expect(await list(event.uri)).toEqual([403, undefined]);
    expect(await list(`${event.uri}0`)).toEqual([404, undefined]);
  });
});

it('the controls of recaps refuse what is gone, a user who does not belong to the meeting, and a time without room', async () => {
  const { service, handles } = sandbox;
  const control = (method: string, body: unknown) => sandbox.control(method, '/meeting_recaps', body);
  const event = holdMeeting(service, { host: handles.users.admin }).uri;
  const made = (await control('POST', { event, action_items_md: null })).body.resource;
  expect(made).toMatchObject({ event, user: handles.users.admin, action_items_md: null });
  const { organization } = handles;
  const stranger = service.state.users.values().find((user) => user.current_organization !== organization)?.uri;
  for (const [method, parameter, body] of [
    ['POST', 'user', { event, user: stranger }],
    ['PATCH', 'start_time', { uri: made.uri, start_time: '9999-12-31T23:59:59Z' }],
  ] as const)
    expect(await control(method, body)).toMatchObject({ status: 400, body: { details: [{ parameter }] } });
  const deleted = (await control('DELETE', { uri: made.uri })).body.resource;
  expect(deleted).toEqual({ uri: made.uri, deleted_at: expect.any(String) });
  for (const method of ['DELETE', 'PATCH']) expect((await control(method, { uri: made.uri })).status).toBe(404);
});
