// Recaps: who was there, and who sees those of one event. The rest is in test/conformance/meeting-recaps.test.ts.
import { describe, expect, it } from 'vitest';
import { createRecap } from '#src/sandbox/world/recaps.ts';
import { holdMeeting } from '../../../harness/sandbox/bookings.ts';
import { openForSuite } from '../../../harness/sandbox.ts';

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
});
