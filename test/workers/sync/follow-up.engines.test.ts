// Follow-up reads against the sandbox, on its clock: links and transcripts, and nothing else.
import { describe, expect, it } from 'vitest';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { instantOf } from '#src/base/time.ts';
import { loadConfig } from '#src/config/load.ts';
import { book, meetingOf } from '#src/sandbox/world/bookings/bookings.ts';
import { createRecap, deleteRecap } from '#src/sandbox/world/recaps.ts';
import type { Form } from '#src/sandbox/world/service.ts';
import { readFollowUps, type FollowUpNeeds } from '#workers/sync/follow-up.ts';
import { openSources } from '#workers/sync/sources.ts';
import { eraseFrom } from '../../harness/erasures.ts';
import { openTestReconcile, type TestReconcile } from '../../harness/mirror/test-reconcile.ts';
import { inForms } from '../../harness/sandbox.ts';
import { ingestBodies, oneEngine, rowsOf, type TestStore } from '../../harness/stores.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

async function openWorld(fresh: () => Promise<TestStore>, options: { readonly bookings?: number; readonly as: Form }) {
  const mirrored: TestReconcile = await openTestReconcile(fresh, { contacts: 1, bookings: 0, ...options });
  const { sandbox, store } = mirrored;
  const { service } = sandbox;
  const { clock, state } = service;
  let requests: string[] = [];
  let answer: typeof fetch = sandbox.fetch;
  const counting: typeof fetch = (input, init) => {
    requests.push(new URL(String(input)).pathname);
    return answer(input, init);
  };
  const { screen } = await mirrored.needs();
  const config = loadConfig({ API_BASE_URL: sandbox.handles.base_url, API_TOKEN: sandbox.handles.tokens.owner });
  // Retries take no time.
  let waitedMs = 0;
  const needs: FollowUpNeeds = {
    store,
    screen,
    now: () => new Date(clock.nowMs()),
    openSources: () =>
      openSources(config, { fetch: counting, nowMs: () => waitedMs, sleep: async (ms) => void (waitedMs += ms) }),
  };
  const offer = state.eventTypes.values().find(({ name }) => name === 'Discovery call');
  const nextSlotMs = Math.ceil(clock.nowMs() / hourMs) * hourMs;
  const tell = (event: string, payload: object, created_at: string) =>
    ingestBodies(store, [JSON.stringify({ event, created_at, payload })]);
  let people = 0;
  return {
    ...mirrored,
    service,
    needs,
    tell,
    /** Changes what the service answers. */
    answerWith: (other: typeof fetch) => void (answer = other),
    advance: (ms: number) => clock.advance(ms),
    /** Runs once, and returns the paths that were requested. */
    async follow(): Promise<readonly string[]> {
      requests = [];
      await readFollowUps(needs);
      return requests;
    },
    requests: () => requests,
    /** Books a meeting and delivers its webhook; `status`: of its link. */
    async book({ hours = 3, status = 'pushed' }: { readonly hours?: number; readonly status?: string } = {}) {
      for (;;) {
        if (offer === undefined) throw new Error('no event type');
        people += 1;
        const invitee = book(service, {
          eventType: offer,
          startTime: instantOf(nextSlotMs + hours * hourMs),
          invitee: { email: `guest-${people}@example.test`, name: `Guest ${people}`, timezone: 'UTC' },
          method: null,
        });
        if (meetingOf(service, invitee).location.status !== status) continue;
        const payload = { ...invitee, scheduled_event: meetingOf(service, invitee) };
        await tell('invitee.created', payload, clock.tick());
        return invitee;
      }
    },
    /** Of a meeting that ended, with its webhook. */
    async recap(user: string, invitee: InviteeResource) {
      const recap = createRecap(service, { user, event: meetingOf(service, invitee) });
      await tell('meeting_recap.created', recap, recap.created_at);
      return recap;
    },
    row: async ({ event }: { readonly event: string }) =>
      (await rowsOf(store, 'scheduled_events')).find(({ uri }) => uri === event) ?? {},
    recapRow: async (uri: string) => (await rowsOf(store, 'meeting_recaps')).find((row) => row['uri'] === uri) ?? {},
  };
}

const pathOf = (uri: string): string => new URL(uri).pathname;

describe.each(inForms(oneEngine))('follow-up reads, the service as $as:', ({ fresh, as }) => {
  it('a link that was not ready is read two minutes later, once', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ status: 'processing' });
    expect((await world.row(invitee))['join_url']).toBeNull();
    world.advance(110_000);
    expect(await world.follow()).toEqual([]);
    world.advance(12_000);
    expect(await world.follow()).toEqual(['/users/me', pathOf(invitee.event)]);
    expect((await world.row(invitee))['join_url']).toMatch(/^https:\/\/meet\./);
    world.advance(2 * minuteMs);
    expect(await world.follow()).toEqual([]);
  });

  it('what a clock a day ahead has postponed is read on time', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ hours: 30, status: 'processing' });
    world.answerWith(async (input, init) =>
      String(input) === invitee.event ? new Response('', { status: 404 }) : world.sandbox.fetch(input, init),
    );
    await readFollowUps({ ...world.needs, now: () => new Date(world.needs.now().getTime() + 24 * hourMs) });
    expect(world.requests()).toContain(pathOf(invitee.event));
    world.answerWith((input, init) => world.sandbox.fetch(input, init));
    world.advance(3 * minuteMs);
    expect(await world.follow()).toEqual(['/users/me', pathOf(invitee.event)]);
  });

  it('many links that are not ready are read thirty a run', async () => {
    await using world = await openWorld(fresh, { as });
    for (let booked = 0; booked < 31; booked += 1) await world.book({ hours: 30, status: 'processing' });
    world.advance(3 * minuteMs);
    const meetings = async () => (await world.follow()).filter((path) => path.startsWith('/scheduled_events/'));
    expect((await meetings()).length).toBe(30);
    expect((await meetings()).length).toBe(1);
  });

  it('a link that never becomes ready is asked for ever more rarely, and not after the end', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ hours: 10, status: 'processing' });
    world.service.state.conferencesInProcess.clear();
    const reads: number[] = [];
    for (let minute = 1; minute <= 13 * 60; minute += 1) {
      world.advance(minuteMs);
      if ((await world.follow()).includes(pathOf(invitee.event))) reads.push(minute);
    }
    // The clock of the sandbox goes on between the minutes, so each may be a minute late.
    const delays = reads.slice(0, 5).map((minute, at) => minute - 2 * (at === 0 ? 1 : (reads[at - 1] ?? 0)));
    expect(delays.filter((late) => late === 0 || late === 1).length).toBe(5);
    expect(reads.length).toBeLessThan(20);
    expect(reads.at(-1)).toBeLessThan(12 * 60);
  });

  it('an answer that is older than the row is not asked for in every run', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ status: 'processing' });
    const stale = { ...meetingOf(world.service, invitee), updated_at: '2020-01-01T00:00:00.000000Z' };
    world.answerWith(async (input, init) =>
      String(input) === invitee.event ? Response.json({ resource: stale }) : world.sandbox.fetch(input, init),
    );
    let reads = 0;
    for (let minute = 0; minute < 30; minute += 1) {
      world.advance(minuteMs);
      reads += (await world.follow()).filter((path) => path === pathOf(invitee.event)).length;
    }
    expect(reads).toBeLessThan(6);
    expect(reads).toBeGreaterThan(2);
  });

  it('reading does not bring back a person who was erased, and their recap is not read', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ status: 'processing' });
    const ended = await world.book({ hours: -30 });
    await world.recap(world.sandbox.handles.users.owner, ended);
    const now = instantOf(world.needs.now());
    for (const { email } of [invitee, ended]) await eraseFrom(world.store, email, { now });
    expect(await world.follow()).toEqual([]);
    world.advance(3 * hourMs);
    expect((await world.follow()).filter((path) => path.endsWith('/transcript'))).toEqual([]);
    for (const table of ['event_log', 'scheduled_events', 'invitees'] as const)
      expect(JSON.stringify(await rowsOf(world.store, table))).not.toContain(invitee.email);
  });

  it('while the service is down the run fails, and what it asked for is asked for later', async () => {
    await using world = await openWorld(fresh, { as });
    const invitee = await world.book({ status: 'processing' });
    world.advance(3 * minuteMs);
    world.answerWith(async (input, init) =>
      String(input) === invitee.event ? new Response('', { status: 503 }) : world.sandbox.fetch(input, init),
    );
    await expect(world.follow()).rejects.toThrow('503');
    expect(await world.follow()).toEqual([]);
    world.answerWith((input, init) => world.sandbox.fetch(input, init));
    world.advance(3 * minuteMs);
    await world.follow();
    expect((await world.row(invitee))['join_url']).not.toBeNull();
  });

  it('speakers are read from transcripts, a few per run, without any of their words', async () => {
    await using world = await openWorld(fresh, { as });
    const { owner, admin } = world.sandbox.handles.users;
    const recaps = [];
    for (let index = 0; index < 24; index += 1)
      recaps.push(await world.recap(index % 2 ? admin : owner, await world.book({ hours: -30 - index })));
    const [gone, ...others] = recaps;
    if (gone === undefined) throw new Error('no recap');
    const payload = deleteRecap(world.service, gone);
    await world.tell('meeting_recap.deleted', payload, payload.deleted_at);

    expect((await world.follow()).filter((path) => path.endsWith('/transcript')).length).toBe(20);
    expect((await world.follow()).filter((path) => path.endsWith('/transcript')).length).toBe(3);
    expect(await world.follow()).toEqual([]);
    for (const { uri, attendees } of others)
      expect((await world.recapRow(uri))['speakers']).toEqual(attendees.map(({ user_name }) => user_name));
    expect(JSON.stringify(await rowsOf(world.store, 'event_log'))).not.toContain('Thanks for making the time');
  });

  it('a transcript that is not there is asked for ever more rarely; one that is refused stops the others of its user', async () => {
    await using world = await openWorld(fresh, { as });
    const { owner } = world.sandbox.handles.users;
    for (let index = 0; index < 3; index += 1) await world.recap(owner, await world.book({ hours: -30 - index }));
    const status = { value: 403 };
    world.answerWith(async (input, init) => {
      const body = { title: 'No', message: 'No.' };
      return String(input).endsWith('/transcript')
        ? Response.json(body, { status: status.value })
        : world.sandbox.fetch(input, init);
    });
    const ask = async () => (await world.follow()).filter((path) => path.endsWith('/transcript')).length;
    expect([await ask(), await ask()]).toEqual([1, 0]);
    status.value = 404;
    world.advance(3 * minuteMs);
    expect([await ask(), await ask()]).toEqual([3, 0]);
    let asked = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      world.advance(minuteMs);
      asked += await ask();
    }
    expect(asked).toBeLessThanOrEqual(3 * 5);
  });
});
