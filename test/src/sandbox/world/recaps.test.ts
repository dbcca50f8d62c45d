// Recaps: what subscribers receive in either form, what changes in silence, who was there, and what controls refuse.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { meetingRecapResource, type RecapMeeting } from '#schemas/resources/meeting-recap.ts';
import { dayMs, hourMs, instantOf } from '#src/sandbox/clock.ts';
import { seedRecaps } from '#src/sandbox/seed/history.ts';
import { createRecap, deleteRecap, presences, updateRecap } from '#src/sandbox/world/recaps.ts';
import { createState, forms, type Fact, type Form, type Service } from '#src/sandbox/world/service.ts';
import { holdMeeting } from '../../../harness/sandbox/meetings.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

const sandbox = openForSuite();

const elsewhere: RecapMeeting = {
  name: 'Lunch',
  start_time: instantOf(10 * hourMs),
  end_time: instantOf(11 * hourMs),
  location: null,
  attendees: [{ host: true, user_email: 'host@example.test', user_name: 'Host' }],
};

/** The sandbox's service, with the facts it tells kept aside. */
function listening(as: Form = 'specification'): { readonly service: Service; readonly facts: Fact[] } {
  const facts: Fact[] = [];
  const { service } = sandbox;
  return {
    service: { ...service, options: { ...service.options, as }, emit: (fact) => void facts.push(fact) },
    facts,
  };
}

describe.each(forms)('payloads in the %s form', (as) => {
  it('are read by the schema of deliveries with the same record in the end', () => {
    const { service, facts } = listening(as);
    const user = sandbox.handles.users.member;
    const hosted = createRecap(service, { user, event: holdMeeting(service, { host: user }) });
    const external = createRecap(service, { user, event: elsewhere });
    updateRecap(service, external, { summary_md: 'Other' });
    deleteRecap(service, updateRecap(service, hosted, { share_link: true }));
    const bodies = facts
      .filter(({ event }) => event.startsWith('meeting_recap.'))
      .map(({ event, at, payload }) => ({ event, created_at: at, created_by: null, payload }));
    expect(bodies.map((body) => readDelivery(JSON.stringify(body)))).toMatchObject([
      { state: 'known', payload: { uri: hosted.uri, event: { uri: hosted.event, name: hosted.name } } },
      { state: 'known', payload: { uri: external.uri, event: { name: 'Lunch' }, share_link: null } },
      { state: 'known', payload: { uri: external.uri, summary_md: 'Other' } },
      { state: 'known', payload: { uri: hosted.uri, share_link: expect.any(String) } },
      { state: 'known', payload: { uri: hosted.uri, deleted_at: bodies[4]?.created_at } },
    ]);
  });
});

describe('a recap', () => {
  it('counts as attendees the hosts and those invitees who came', () => {
    const { service } = listening();
    const { state } = service;
    const user = sandbox.handles.users.member;
    const event = holdMeeting(service, { host: user, email: 'came@example.test' });
    const [came] = state.invitees.of('event', event.uri);
    if (came === undefined) throw new Error('there is no invitee');
    const at = service.clock.tick();
    state.invitees.put({ ...came, uri: `${came.uri}1`, email: 'canceled@example.test', status: 'canceled' });
    state.invitees.put({
      ...came,
      uri: `${came.uri}2`,
      email: 'missed@example.test',
      no_show: { uri: `${came.uri}/no_show`, created_at: at },
    });
    const { attendees } = createRecap(service, { user, event });
    expect(attendees.map(({ host, user_email }) => [host, user_email])).toEqual([
      [true, event.event_memberships[0]?.user_email],
      [false, 'came@example.test'],
    ]);
  });

  it('says nothing and stays what it was when nothing changes', () => {
    const { service, facts } = listening();
    const recap = createRecap(service, { user: sandbox.handles.users.owner, event: elsewhere, summary_md: 'Same' });
    facts.length = 0;
    const { attendees, start_time } = recap;
    const same = { summary_md: 'Same', notes: null, share_link: false, attendees: [...attendees], start_time };
    for (const change of [same, {}]) expect(updateRecap(service, recap, change)).toBe(recap);
    expect(facts).toEqual([]);
    const shared = updateRecap(service, recap, { share_link: true });
    expect(updateRecap(service, shared, { share_link: true })).toBe(shared);
    expect(facts).toHaveLength(1);
  });

  it('moves in the list with its meeting', async () => {
    const { service } = listening();
    const user = sandbox.handles.users.owner;
    const [first, second] = [1, 2].map((year) =>
      createRecap(service, { user, event: { ...elsewhere, start_time: instantOf(year * 365 * dayMs) } }),
    );
    if (first === undefined || second === undefined) throw new Error('no recaps');
    updateRecap(service, first, { start_time: instantOf(3 * 365 * dayMs) });
    const { body } = await sandbox.call('GET', '/meeting_recaps', {
      query: { user, min_start_time: instantOf(300 * dayMs), max_start_time: instantOf(4 * 365 * dayMs) },
    });
    expect(body.collection.map(({ uri }: { uri: string }) => uri)).toEqual([second.uri, first.uri]);
  });
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
  const { uri } = (await control('POST', {})).body.resource;
  expect((await control('DELETE', { uri })).body.resource).toEqual({ uri, deleted_at: expect.any(String) });
  for (const method of ['DELETE', 'PATCH']) expect((await control(method, { uri })).status).toBe(404);
  const host = handles.users.admin;
  const event = holdMeeting(service, { host }).uri;
  const made = (await control('POST', { event, action_items_md: null })).body.resource;
  expect(made).toMatchObject({ event, user: host, action_items_md: null });
  const users = [...service.state.users.values()];
  const stranger = users.find(({ current_organization }) => current_organization !== handles.organization);
  for (const [method, parameter, body] of [
    ['POST', 'user', { event, user: stranger?.uri }],
    ['PATCH', 'start_time', { uri: made.uri, start_time: '9999-12-31T23:59:59Z' }],
  ] as const)
    expect(await control(method, body)).toMatchObject({ status: 400, body: { details: [{ parameter }] } });
});

describe('seeded recaps', () => {
  it('are of the latest meetings that were held, and one of a meeting elsewhere', () => {
    const { service, facts } = listening();
    const { state } = service;
    const organization = state.organizations.get(sandbox.handles.organization);
    const users = state.users.values().filter((user) => user.current_organization === organization?.uri);
    const [owner, ...others] = users;
    if (organization === undefined || owner === undefined) throw new Error('no team');
    // Recaps on shelves of their own: what others wrote does not count.
    const { recaps, transcripts } = createState();
    const alone = { ...service, state: { ...state, recaps, transcripts } };
    for (const daysAgo of [3, 4, 5, 6, 7, 8, -1]) holdMeeting(service, { host: sandbox.handles.users.member, daysAgo });
    facts.length = 0;
    seedRecaps(alone, { organization, owner, users: [owner, ...others] });
    const made = [...recaps.values()];
    expect(made).toHaveLength(21);
    expect(made.filter(({ event }) => event === null)).toMatchObject([{ user: owner.uri }]);
    const now = instantOf(service.clock.nowMs());
    for (const recap of made) {
      expect(meetingRecapResource.parse(recap)).toEqual(recap);
      expect(recap.end_time < recap.created_at && recap.created_at < now).toBe(true);
      expect(transcripts.get(recap.uri)?.segments.length).toBeGreaterThan(3);
    }
    const whoCame = ({ uri, attendees }: (typeof made)[number]) => {
      const guests = attendees.filter(({ host }) => !host).map(({ user_name }) => user_name);
      const segments = transcripts.get(uri)?.segments ?? [];
      if (guests.length === 0) return attendees.length === 0 ? 'unknown' : 'hosts';
      return segments.some(({ speaker }) => guests.includes(speaker)) ? 'spoke' : 'listed';
    };
    const ofMember = made.filter(({ user }) => user === sandbox.handles.users.member);
    expect(new Set(ofMember.map(whoCame))).toEqual(new Set(presences));
  });
});
