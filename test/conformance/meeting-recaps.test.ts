// Conformance: meeting recaps.
import { expect } from 'vitest';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { createRecap, type RecapPlan } from '#src/sandbox/world/recaps.ts';
import type { CallOptions } from '../harness/sandbox.ts';
import { openSubscriber, type Subscriber } from '../harness/sandbox/subscriber.ts';
import { holdMeeting } from '../harness/sandbox/bookings.ts';
import { answers, asksFor, finds, lacking, noAccess, recordOf, strangerTo, tokenWith, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows();

/** A recap of a meeting hosted by the member, unless `plan` says otherwise. */
function recapOf(plan: Partial<RecapPlan> = {}): MeetingRecapResource {
  const user = plan.user ?? sandbox.handles.users.member;
  return createRecap(sandbox.service, { user, event: holdMeeting(sandbox.service, { host: user }), ...plan });
}
/** Of a meeting that the administrator hosted so many days ago. */
const recapOfDay = (daysAgo: number): MeetingRecapResource => {
  const host = sandbox.handles.users.admin;
  return recapOf({ user: host, event: holdMeeting(sandbox.service, { host, daysAgo }) });
};

const hear = (): Promise<Subscriber> =>
  openSubscriber(sandbox, {
    events: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
    scope: 'user',
    user: sandbox.handles.users.member,
  });

const list = (query: Record<string, string | number>, as: 'owner' | 'member' | 'enterprise' = 'owner') =>
  sandbox.call('GET', '/meeting_recaps', { as, query });
const newest = (query: Record<string, string>) => list({ ...query, count: 100, sort: 'start_time:desc' });

/** What was sent about this one change to a new recap. */
// oxlint-disable-next-line typescript/no-explicit-any
async function sentAbout(change: object): Promise<readonly any[]> {
  const recap = recapOf();
  await using ear = await hear();
  await answers(sandbox.control('PATCH', '/meeting_recaps', { uri: recap.uri, ...change }), 200);
  expect((await sandbox.call('GET', recap.uri)).body.resource).not.toEqual(recap);
  return await ear.heard();
}
/** Shows that a change is sent, with the new value. */
const tellsOf = async (change: object, payload = change): Promise<void> =>
  expect(await sentAbout(change)).toMatchObject([{ event: 'meeting_recap.updated', payload }]);

rows({
  'GET /meeting_recaps/<recap_uuid> | retrieve a recap with highlights and metadata': async () => {
    const highlights = { summary_md: 'S', action_items_md: 'A', discussion_md: 'D' };
    const recap = recapOf(highlights);
    expect(recap).toMatchObject({ ...highlights, name: expect.any(String), start_time: expect.any(String) });
    expect(await recordOf(sandbox.call('GET', recap.uri))).toEqual(recap);
  },
  'GET /meeting_recaps | list recaps': async () => {
    const recap = recapOf();
    const answer = await newest({ organization: sandbox.handles.organization });
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['collection', 'pagination']]);
    expect(urisOf(answer)).toContain(recap.uri);
  },
  'GET /meeting_recaps | filters include event': async () => {
    const [recap] = [recapOf(), recapOf()];
    expect(urisOf(await list({ event: recap.event ?? '' }))).toEqual([recap.uri]);
  },
  'GET /meeting_recaps | filters include user': async () => {
    const user = sandbox.handles.users.admin;
    const [own, other] = [recapOf({ user }), recapOf()];
    await finds(newest({ user }), own.uri, other.uri);
    const { collection } = (await list({ user, count: 100 })).body;
    expect(collection.every((recap: MeetingRecapResource) => recap.user === user)).toBe(true);
  },
  'GET /meeting_recaps | filters include organization': () => {
    const recap = recapOf();
    const { name, start_time, end_time, location, attendees } = recap;
    const event = { name, start_time, end_time, location, attendees };
    const other = createRecap(sandbox.service, { user: strangerTo(sandbox), event });
    return finds(newest({ organization: sandbox.handles.organization }), recap.uri, other.uri);
  },
  'GET /meeting_recaps | filters include attendee': async () => {
    const host = sandbox.handles.users.member;
    const recap = recapOf({ event: holdMeeting(sandbox.service, { host, email: 'grace@example.test' }) });
    recapOf();
    expect(urisOf(await list({ user: host, attendee: 'grace@example.test' }))).toEqual([recap.uri]);
  },
  'GET /meeting_recaps | filters include min_start_time': () => {
    const [early, late] = [recapOfDay(40), recapOfDay(30)];
    return finds(newest({ user: early.user, min_start_time: late.start_time }), late.uri, early.uri);
  },
  'GET /meeting_recaps | filters include max_start_time': () => {
    const [early, late] = [recapOfDay(60), recapOfDay(50)];
    return finds(newest({ user: early.user, max_start_time: early.start_time }), early.uri, late.uri);
  },
  'GET /meeting_recaps | one of event, user and organization must be named | A26': () =>
    answers(list({ attendee: 'grace@example.test' }), 400, {
      details: [{ message: expect.any(String), parameter: 'event' }],
    }),
  'GET /meeting_recaps | sort takes start_time in both directions, ascending by default | A26': async () => {
    const { user } = [71, 73, 72].map(recapOfDay)[0] as MeetingRecapResource;
    const starts = async (query: Record<string, string>): Promise<string[]> => {
      const { collection } = (await list({ user, count: 100, ...query })).body;
      return collection.map(({ start_time }: MeetingRecapResource) => start_time);
    };
    const ascending = (await starts({})).toSorted();
    for (const query of [{}, { sort: 'start_time:asc' }]) expect(await starts(query)).toEqual(ascending);
    expect(await starts({ sort: 'start_time:desc' })).toEqual(ascending.toReversed());
    await answers(list({ user, sort: 'created_at:asc' }), 400);
  },
  'Conventions 3 | keyset (cursor) pagination is used by GET /meeting_recaps': async () => {
    const user = sandbox.handles.users.owner;
    const event = { name: 'Elsewhere', location: null, attendees: [], end_time: instantOf(dayMs) };
    const made = [1, 2, 3].map((hour) => recapOf({ user, event: { ...event, start_time: instantOf(hour) } }).uri);
    const first = await list({ user, max_start_time: instantOf(dayMs), count: 2 });
    expect(urisOf(first)).toEqual(made.slice(0, 2));
    await sandbox.call('DELETE', made[0] ?? '');
    const second = await sandbox.call('GET', first.body.pagination.next_page);
    expect(urisOf(second)).toEqual([made[2]]);
    expect(second.body.pagination.next_page).toBeNull();
  },
  'PATCH /meeting_recaps/<recap_uuid> | update highlights (summary, action items, discussion)': async () => {
    const recap = recapOf();
    const highlights = { summary_md: 'Short', action_items_md: '- One', discussion_md: null };
    const changed = await recordOf(sandbox.call('PATCH', recap.uri, { as: 'member', body: highlights }));
    expect(changed).toEqual({ ...recap, ...highlights, updated_at: expect.any(String) });
    expect(changed.updated_at > recap.updated_at).toBe(true);
    expect(await recordOf(sandbox.call('GET', recap.uri))).toEqual(changed);
  },
  'PATCH /meeting_recaps/<recap_uuid> | takes highlights only, at least one of them | A26': async () => {
    const recap = recapOf();
    for (const body of [{}, { notes: 'x' }, { summary_md: 1 }, { summary_md: 'x', share_link: null }, [], null])
      await answers(sandbox.call('PATCH', recap.uri, { body }), 400);
    expect((await sandbox.call('GET', recap.uri)).body.resource).toEqual(recap);
  },
  'DELETE /meeting_recaps/<recap_uuid> | delete a recap': async () => {
    const { uri, transcript } = recapOf();
    await answers(sandbox.call('DELETE', uri, { as: 'member' }), 204, undefined);
    for (const path of [uri, transcript]) await answers(sandbox.call('GET', path), 404);
    await answers(sandbox.call('DELETE', uri), 404);
  },
  'GET /meeting_recaps/<recap_uuid>/transcript | retrieve the full transcript': async () => {
    const recap = recapOf();
    const transcript = await recordOf(sandbox.call('GET', `${recap.uri}/transcript`));
    expect(transcript).toEqual(sandbox.service.state.transcripts.get(recap.uri));
    expect(transcript).toMatchObject({ recap: recap.uri, uri: recap.transcript });
    expect(transcript.segments.length).toBeGreaterThan(1);
  },
  'Authentication 2 | meeting_recaps:read is used to read recaps and transcripts': () => {
    const { uri, transcript } = recapOf();
    return asksFor(sandbox, 'meeting_recaps:read', ['/meeting_recaps', uri, transcript]);
  },
  'Authentication 2 | meeting_recaps:write is used to update and delete recaps': async () => {
    const { uri } = recapOf();
    await asksFor(sandbox, 'meeting_recaps:write', [uri], ['PATCH', 'DELETE']);
    await answers(sandbox.call('GET', uri), 200);
  },
  'Authentication 2 | meeting_recaps:write implicitly includes meeting_recaps:read': async () => {
    const { uri } = recapOf();
    const token = tokenWith(sandbox, ['meeting_recaps:write']);
    await answers(sandbox.call('GET', uri, { token }), 200);
    await answers(sandbox.call('PATCH', uri, { token, body: { summary_md: 'x' } }), 200);
    const reader = tokenWith(sandbox, ['meeting_recaps:read']);
    const refused = sandbox.call('PATCH', uri, { token: reader, body: { summary_md: 'y' } });
    await answers(refused, 403, lacking('meeting_recaps:write'));
  },
  'Authentication 4 | a recap is its user’s; administrators may read and change it too | A26': async () => {
    const recap = recapOf();
    const [, , , , colleague] = [...sandbox.service.state.users.values()];
    const token = tokenWith(sandbox, ['meeting_recaps:write'], colleague?.uri);
    const change = (who: CallOptions, summary_md: string) =>
      sandbox.call('PATCH', recap.uri, { ...who, body: { summary_md } });
    for (const as of ['member', 'admin'] as const) {
      await answers(sandbox.call('GET', recap.uri, { as }), 200);
      await answers(change({ as }, `by ${as}`), 200);
    }
    for (const who of [{ token }, { as: 'enterprise' }] as const) {
      for (const path of [recap.uri, recap.transcript]) await answers(sandbox.call('GET', path, who), 403, noAccess);
      await answers(change(who, 'by a stranger'), 403, noAccess);
      await answers(sandbox.call('DELETE', recap.uri, who), 403, noAccess);
    }
    expect((await sandbox.call('GET', recap.uri)).body.resource.summary_md).toBe('by admin');
  },
  'Conventions 4 | the same list of recaps succeeds for an administrator and is 403 for an ordinary user': async () => {
    const { organization, users } = sandbox.handles;
    const { event } = recapOf({ user: users.admin });
    for (const query of [{ organization }, { user: users.admin }, { event: event ?? '' }] as const) {
      await answers(list(query), 200);
      for (const as of ['member', 'enterprise'] as const)
        await answers(list(query, as), 403, { title: 'Permission Denied' });
    }
  },
  'Events | meeting_recap.created fires when a recap is created, for hosted meetings': async () => {
    await using ear = await hear();
    const payload = recapOf();
    expect(await ear.heard()).toMatchObject([
      { event: 'meeting_recap.created', created_at: payload.created_at, payload },
    ]);
  },
  'Events | meeting_recap.created fires for external meetings': async () => {
    await using ear = await hear();
    const { body } = await sandbox.control('POST', '/meeting_recaps', { user: sandbox.handles.users.member });
    const [sent] = await ear.heard();
    expect(sent).toMatchObject({ event: 'meeting_recap.created', payload: body.resource });
    expect(body.resource.event).toBeNull();
  },
  'Events | meeting_recap.updated fires when the summary changes': () => tellsOf({ summary_md: 'Another' }),
  'Events | meeting_recap.updated fires when the action items change': () => tellsOf({ action_items_md: '- Another' }),
  'Events | meeting_recap.updated fires when the discussion changes': () => tellsOf({ discussion_md: null }),
  'Events | a PATCH of highlights through the interface fires meeting_recap.updated': async () => {
    const recap = recapOf();
    await using ear = await hear();
    const payload = { summary_md: 'Through the interface' };
    const { updated_at: created_at } = await recordOf(
      sandbox.call('PATCH', recap.uri, { as: 'member', body: payload }),
    );
    expect(await ear.heard()).toMatchObject([{ event: 'meeting_recap.updated', created_at, payload }]);
  },
  'Events | the creation of a share link surfaces as meeting_recap.updated': () =>
    tellsOf({ share_link: true }, { share_link: expect.stringMatching(/^http/) }),
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
      const hosted = recapOf({ user: host });
      const external = (await sandbox.control('POST', '/meeting_recaps', { user: host })).body.resource;
      const { collection } = (await newest({ user: host })).body;
      const fields = { name: expect.any(String), start_time: expect.any(String), end_time: expect.any(String) };
      for (const { uri, event } of [hosted, { ...external, event: null }]) {
        const { resource } = (await sandbox.call('GET', uri)).body;
        expect(resource).toMatchObject({ ...fields, event, attendees: expect.any(Array) });
        expect(resource).toHaveProperty('location');
        expect(collection).toContainEqual(resource);
      }
      expect(hosted.event).toMatch(/^http/);
    },
  'Resources | a recap names its user, organization, meeting, highlights, notes and share link | A26': () => {
    const { organization, users } = sandbox.handles;
    const recap = recapOf();
    expect(recap).toMatchObject({ user: users.member, organization, notes: null, share_link: null });
    expect(recap.attendees.map(({ host }) => host)).toEqual([true, false]);
    expect(recap.attendees[1]).toMatchObject({ user_email: 'ada@example.test', user_name: 'Ada Adeyemi' });
  },
});
