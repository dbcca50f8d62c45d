// Conformance: meeting recaps.
import { afterAll, beforeAll, expect } from 'vitest';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { createRecap, type RecapPlan } from '#src/sandbox/world/recaps.ts';
import { openSubscriber, type Subscriber } from '../harness/sandbox/subscriber.ts';
import { holdMeeting } from '../harness/sandbox/meetings.ts';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox()));
afterAll(() => sandbox[Symbol.asyncDispose]());

/** A recap of a meeting hosted by the member, unless `more` says otherwise. */
function recapOf(plan: Partial<RecapPlan> = {}): MeetingRecapResource {
  const user = plan.user ?? sandbox.handles.users.member;
  return createRecap(sandbox.service, { user, event: holdMeeting(sandbox.service, { host: user }), ...plan });
}

const hear = (): Promise<Subscriber> =>
  openSubscriber(sandbox, {
    events: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
    scope: 'user',
    user: sandbox.handles.users.member,
  });

const list = async (query: Record<string, string | number>, as: 'owner' | 'member' | 'enterprise' = 'owner') =>
  sandbox.call('GET', '/meeting_recaps', { as, query });

const missing = async (method: string, path: string): Promise<readonly ApiScope[]> => {
  const { body } = await sandbox.call(method, path, { as: 'no_scopes' });
  return body.required_scopes as ApiScope[];
};

const grant = (scopes: readonly ApiScope[], user = sandbox.handles.users.owner): string =>
  sandbox.tokens.personal(`${scopes.join('.').replaceAll(':', '.')}.${user.slice(-12)}`, { user, scopes });

// oxlint-disable-next-line typescript/no-explicit-any
type Sent = any;

const urisOf = (body: { collection: readonly MeetingRecapResource[] }): readonly string[] =>
  body.collection.map(({ uri }) => uri);

/** What was sent about this one change to a new recap. */
async function sentAbout(change: object): Promise<readonly Sent[]> {
  const recap = recapOf();
  await using ear = await hear();
  const { status } = await sandbox.control('PATCH', '/meeting_recaps', { uri: recap.uri, ...change });
  expect(status).toBe(200);
  const shown = await sandbox.call('GET', recap.uri);
  expect(shown.body.resource).not.toEqual(recap);
  return await ear.heard();
}

rows({
  'GET /meeting_recaps/<recap_uuid> | retrieve a recap with highlights and metadata': async () => {
    const recap = recapOf({ summary_md: 'S', action_items_md: 'A', discussion_md: 'D' });
    const { status, body } = await sandbox.call('GET', recap.uri);
    expect(status).toBe(200);
    expect(body).toEqual({ resource: recap });
    expect(body.resource).toMatchObject({ summary_md: 'S', action_items_md: 'A', discussion_md: 'D' });
    expect(body.resource).toMatchObject({ name: expect.any(String), start_time: expect.any(String) });
  },
  'GET /meeting_recaps | list recaps': async () => {
    const recap = recapOf();
    const { status, body } = await list({
      organization: sandbox.handles.organization,
      count: 100,
      sort: 'start_time:desc',
    });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['collection', 'pagination']);
    expect(urisOf(body)).toContain(recap.uri);
  },
  'GET /meeting_recaps | filters include event': async () => {
    const recap = recapOf();
    recapOf();
    const { body } = await list({ event: recap.event ?? '' });
    expect(urisOf(body)).toEqual([recap.uri]);
  },
  'GET /meeting_recaps | filters include user': async () => {
    const { users } = sandbox.handles;
    const [own, other] = [recapOf(), recapOf({ user: users.admin })];
    const { body } = await list({ user: users.admin, count: 100 });
    expect(urisOf(body)).toContain(other.uri);
    expect(urisOf(body)).not.toContain(own.uri);
    expect(body.collection.every(({ user }: MeetingRecapResource) => user === users.admin)).toBe(true);
  },
  'GET /meeting_recaps | filters include organization': async () => {
    const recap = recapOf();
    const stranger = [...sandbox.service.state.users.values()].find(
      ({ current_organization }) => current_organization !== sandbox.handles.organization,
    );
    const { name, start_time, end_time, location, attendees } = recap;
    const event = { name, start_time, end_time, location, attendees };
    const elsewhere = createRecap(sandbox.service, { user: stranger?.uri ?? '', event });
    const { body } = await list({ organization: sandbox.handles.organization, count: 100 });
    expect(urisOf(body)).toContain(recap.uri);
    expect(urisOf(body)).not.toContain(elsewhere.uri);
  },
  'GET /meeting_recaps | filters include attendee': async () => {
    const host = sandbox.handles.users.member;
    const recap = recapOf({ event: holdMeeting(sandbox.service, { host, email: 'grace@example.test' }) });
    recapOf();
    const { body } = await list({ user: host, attendee: 'grace@example.test' });
    expect(urisOf(body)).toEqual([recap.uri]);
  },
  'GET /meeting_recaps | filters include min_start_time': async () => {
    const host = sandbox.handles.users.admin;
    const [early, late] = [40, 30].map((daysAgo) =>
      recapOf({ user: host, event: holdMeeting(sandbox.service, { host, daysAgo }) }),
    );
    const { body } = await list({ user: host, min_start_time: late?.start_time ?? '' });
    expect(urisOf(body)).toContain(late?.uri);
    expect(urisOf(body)).not.toContain(early?.uri);
  },
  'GET /meeting_recaps | filters include max_start_time': async () => {
    const host = sandbox.handles.users.admin;
    const [early, late] = [60, 50].map((daysAgo) =>
      recapOf({ user: host, event: holdMeeting(sandbox.service, { host, daysAgo }) }),
    );
    const { body } = await list({ user: host, max_start_time: early?.start_time ?? '' });
    expect(urisOf(body)).toContain(early?.uri);
    expect(urisOf(body)).not.toContain(late?.uri);
  },
  'GET /meeting_recaps | one of event, user and organization must be named | A26': async () => {
    const refused = await list({ attendee: 'grace@example.test' });
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([{ message: expect.any(String), parameter: 'event' }]);
  },
  'GET /meeting_recaps | sort takes start_time in both directions, ascending by default | A26': async () => {
    const host = sandbox.handles.users.admin;
    for (const daysAgo of [71, 73, 72]) recapOf({ user: host, event: holdMeeting(sandbox.service, { host, daysAgo }) });
    const starts = async (query: Record<string, string>) =>
      (await list({ user: host, count: 100, ...query })).body.collection.map(
        ({ start_time }: MeetingRecapResource) => start_time,
      ) as string[];
    const ascending = await starts({});
    expect(ascending).toEqual(ascending.toSorted());
    expect(await starts({ sort: 'start_time:asc' })).toEqual(ascending);
    expect(await starts({ sort: 'start_time:desc' })).toEqual(ascending.toReversed());
    await answers(list({ user: host, sort: 'created_at:asc' }), 400);
  },
  'Conventions 3 | keyset (cursor) pagination is used by GET /meeting_recaps': async () => {
    const host = sandbox.handles.users.owner;
    const event = { name: 'Elsewhere', location: null, attendees: [], end_time: instantOf(dayMs) };
    const made = [1, 2, 3].map((hour) =>
      recapOf({ user: host, event: { ...event, start_time: instantOf(hour), attendees: [] } }),
    );
    const query = { user: host, max_start_time: instantOf(dayMs), count: 2 };
    const first = await list(query);
    expect(urisOf(first.body)).toEqual(made.slice(0, 2).map(({ uri }) => uri));
    await sandbox.call('DELETE', made[0]?.uri ?? '');
    const second = await sandbox.call('GET', first.body.pagination.next_page);
    expect(urisOf(second.body)).toEqual([made[2]?.uri]);
    expect(second.body.pagination.next_page).toBeNull();
  },
  'PATCH /meeting_recaps/<recap_uuid> | update highlights (summary, action items, discussion)': async () => {
    const recap = recapOf();
    const highlights = { summary_md: 'Short', action_items_md: '- One', discussion_md: null };
    const { status, body } = await sandbox.call('PATCH', recap.uri, { as: 'member', body: highlights });
    expect(status).toBe(200);
    expect(body.resource).toEqual({ ...recap, ...highlights, updated_at: expect.any(String) });
    expect(body.resource.updated_at > recap.updated_at).toBe(true);
    expect(await sandbox.call('GET', recap.uri)).toMatchObject({ body });
  },
  'PATCH /meeting_recaps/<recap_uuid> | takes highlights only, at least one of them | A26': async () => {
    const recap = recapOf();
    for (const body of [{}, { notes: 'x' }, { summary_md: 1 }, { summary_md: 'x', share_link: null }, [], null])
      await answers(sandbox.call('PATCH', recap.uri, { body }), 400);
    expect((await sandbox.call('GET', recap.uri)).body.resource).toEqual(recap);
  },
  'DELETE /meeting_recaps/<recap_uuid> | delete a recap': async () => {
    const recap = recapOf();
    await answers(sandbox.call('DELETE', recap.uri, { as: 'member' }), 204, undefined);
    for (const [method, path] of [
      ['GET', recap.uri],
      ['GET', recap.transcript],
      ['DELETE', recap.uri],
    ] as const)
      await answers(sandbox.call(method, path), 404);
  },
  'GET /meeting_recaps/<recap_uuid>/transcript | retrieve the full transcript': async () => {
    const recap = recapOf();
    const { status, body } = await sandbox.call('GET', `${recap.uri}/transcript`);
    expect(status).toBe(200);
    const { segments } = sandbox.service.state.transcripts.get(recap.uri) ?? {};
    expect(segments?.length).toBeGreaterThan(1);
    expect(body.resource).toMatchObject({ recap: recap.uri, segments });
    expect(recap.transcript).toBe(body.resource.uri);
  },
  'Authentication 2 | meeting_recaps:read is used to read recaps and transcripts': async () => {
    const { uri, transcript } = recapOf();
    for (const path of ['/meeting_recaps', uri, transcript])
      expect(await missing('GET', path)).toEqual(['meeting_recaps:read']);
  },
  'Authentication 2 | meeting_recaps:write is used to update and delete recaps': async () => {
    const { uri } = recapOf();
    for (const method of ['PATCH', 'DELETE']) expect(await missing(method, uri)).toEqual(['meeting_recaps:write']);
    await answers(sandbox.call('GET', uri), 200);
  },
  'Authentication 2 | meeting_recaps:write implicitly includes meeting_recaps:read': async () => {
    const { uri } = recapOf();
    const token = grant(['meeting_recaps:write']);
    await answers(sandbox.call('GET', uri, { token }), 200);
    await answers(sandbox.call('PATCH', uri, { token, body: { summary_md: 'x' } }), 200);
    const reader = grant(['meeting_recaps:read']);
    await answers(sandbox.call('PATCH', uri, { token: reader, body: { summary_md: 'y' } }), 403, {
      title: 'Insufficient scope',
      required_scopes: ['meeting_recaps:write'],
    });
  },
  'Authentication 4 | a recap is its user’s; administrators may read and change it too | A26': async () => {
    const recap = recapOf();
    const [, , , , colleague] = [...sandbox.service.state.users.values()];
    const token = grant(['meeting_recaps:write'], colleague?.uri);
    for (const { as, changed } of [
      { as: 'member', changed: 'by its user' },
      { as: 'admin', changed: 'by an administrator' },
    ] as const) {
      await answers(sandbox.call('GET', recap.uri, { as }), 200);
      await answers(sandbox.call('PATCH', recap.uri, { as, body: { summary_md: changed } }), 200);
    }
    for (const who of [{ token }, { as: 'enterprise' }] as const)
      for (const [method, path, body] of [
        ['GET', recap.uri],
        ['GET', recap.transcript],
        ['PATCH', recap.uri, { summary_md: 'by a stranger' }],
        ['DELETE', recap.uri],
      ] as const)
        await answers(sandbox.call(method, path, { ...who, body }), 403, {
          title: 'Permission Denied',
          message: 'You do not have permission to access this resource.',
        });
    expect((await sandbox.call('GET', recap.uri)).body.resource.summary_md).toBe('by an administrator');
  },
  'Conventions 4 | the same list of recaps succeeds for an administrator and is 403 for an ordinary user': async () => {
    const { organization, users } = sandbox.handles;
    const { event } = recapOf({ user: users.admin });
    for (const query of [{ organization }, { user: users.admin }, { event: event ?? '' }] as const) {
      await answers(list(query), 200);
      await answers(list(query, 'member'), 403, { title: 'Permission Denied' });
      await answers(list(query, 'enterprise'), 403, { title: 'Permission Denied' });
    }
  },
  'Events | meeting_recap.created fires when a recap is created, for hosted meetings': async () => {
    await using ear = await hear();
    const recap = recapOf();
    const [sent, ...more] = await ear.heard();
    expect(more).toEqual([]);
    expect(sent).toMatchObject({ event: 'meeting_recap.created', created_at: recap.created_at });
    expect(sent.payload).toEqual(recap);
  },
  'Events | meeting_recap.created fires for external meetings': async () => {
    await using ear = await hear();
    const { body } = await sandbox.control('POST', '/meeting_recaps', { user: sandbox.handles.users.member });
    const [sent] = await ear.heard();
    expect(sent).toMatchObject({ event: 'meeting_recap.created', payload: body.resource });
    expect(body.resource.event).toBeNull();
  },
  'Events | meeting_recap.updated fires when the summary changes': async () =>
    expect(await sentAbout({ summary_md: 'Another' })).toMatchObject([
      { event: 'meeting_recap.updated', payload: { summary_md: 'Another' } },
    ]),
  'Events | meeting_recap.updated fires when the action items change': async () =>
    expect(await sentAbout({ action_items_md: '- Another' })).toMatchObject([
      { event: 'meeting_recap.updated', payload: { action_items_md: '- Another' } },
    ]),
  'Events | meeting_recap.updated fires when the discussion changes': async () =>
    expect(await sentAbout({ discussion_md: null })).toMatchObject([
      { event: 'meeting_recap.updated', payload: { discussion_md: null } },
    ]),
  'Events | a PATCH of highlights through the interface fires meeting_recap.updated': async () => {
    const recap = recapOf();
    await using ear = await hear();
    const body = { summary_md: 'Through the interface' };
    const { body: answer } = await sandbox.call('PATCH', recap.uri, { as: 'member', body });
    expect(await ear.heard()).toMatchObject([
      { event: 'meeting_recap.updated', created_at: answer.resource.updated_at, payload: body },
    ]);
  },
  'Events | the creation of a share link surfaces as meeting_recap.updated': async () =>
    expect(await sentAbout({ share_link: true })).toMatchObject([
      { event: 'meeting_recap.updated', payload: { share_link: expect.stringMatching(/^http/) } },
    ]),
  'Events | the removal of a share link surfaces as meeting_recap.updated': async () => {
    const { uri } = recapOf();
    await sandbox.control('PATCH', '/meeting_recaps', { uri, share_link: true });
    await using ear = await hear();
    await sandbox.control('PATCH', '/meeting_recaps', { uri, share_link: false });
    expect(await ear.heard()).toMatchObject([{ event: 'meeting_recap.updated', payload: { share_link: null } }]);
  },
  'Events | changes to notes do not fire meeting_recap.updated': async () =>
    expect(await sentAbout({ notes: 'For myself' })).toEqual([]),
  'Events | changes to attendees do not fire meeting_recap.updated': async () =>
    expect(await sentAbout({ attendees: [{ user_email: 'late@example.test', user_name: 'Late' }] })).toEqual([]),
  'Events | changes to timing do not fire meeting_recap.updated': async () =>
    expect(await sentAbout({ start_time: instantOf(sandbox.service.clock.nowMs() - 5 * dayMs) })).toEqual([]),
  'Events | meeting_recap.deleted fires when a recap is permanently deleted': async () => {
    const recap = recapOf();
    await using ear = await hear();
    await sandbox.call('DELETE', recap.uri, { as: 'member' });
    expect(await ear.heard()).toMatchObject([{ event: 'meeting_recap.deleted', payload: { uri: recap.uri } }]);
  },
  'Events | the payload of meeting_recap.deleted holds only the recap URI and a `deleted_at` timestamp': async () => {
    const recap = recapOf();
    await using ear = await hear();
    await sandbox.call('DELETE', recap.uri);
    const [sent] = await ear.heard();
    expect(sent.payload).toEqual({ uri: recap.uri, deleted_at: sent.created_at });
  },
  'Events | recap events belong to the user whose recap it is': async () => {
    await using ear = await hear();
    const [own, other] = [recapOf(), recapOf({ user: sandbox.handles.users.admin })];
    const sent = await ear.heard();
    expect(sent.map(({ payload }) => payload.uri)).toEqual([own.uri]);
    expect(other.user).not.toBe(own.user);
  },
  'Conventions 1 | the `event` of a recap is a URI, or null for an external meeting, with its name, times, place and attendees beside it':
    async () => {
      const host = sandbox.handles.users.member;
      const meeting = holdMeeting(sandbox.service, { host });
      const { uri } = recapOf({ event: meeting });
      const external = (await sandbox.control('POST', '/meeting_recaps', { user: host })).body.resource;
      const { collection } = (await list({ user: host, count: 100, sort: 'start_time:desc' })).body;
      for (const [recap, event] of [
        [uri, meeting.uri],
        [external.uri, null],
      ] as const) {
        const { resource } = (await sandbox.call('GET', recap)).body;
        expect(resource).toMatchObject({
          event,
          name: expect.any(String),
          start_time: expect.any(String),
          end_time: expect.any(String),
          attendees: expect.any(Array),
        });
        expect(resource).toHaveProperty('location');
        expect(collection).toContainEqual(resource);
      }
    },
  'Resources | a recap names its user, organization, meeting, highlights, notes and share link | A26': () => {
    const { organization, users } = sandbox.handles;
    const recap = recapOf();
    expect(recap).toMatchObject({ user: users.member, organization, notes: null, share_link: null });
    expect(recap.attendees.map(({ host }) => host)).toEqual([true, false]);
    expect(recap.attendees[1]).toMatchObject({ user_email: 'ada@example.test', user_name: 'Ada Adeyemi' });
  },
});
