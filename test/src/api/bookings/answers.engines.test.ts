// Answers over the API, on both stores, against the sandbox: what is answered, what is refused, and what is recorded.
import { describe, expect, it } from 'vitest';
import { answerRecorder } from '#src/app/answers.ts';
import { loadConfig } from '#src/config/load.ts';
import { cancelInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openTestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { storeEngines, type TestStore } from '../../../harness/stores.ts';

async function openWorld(
  fresh: () => Promise<TestStore>,
  { token, ANSWERS = 'on' }: { token?: 'no_scopes'; ANSWERS?: string } = {},
) {
  await using stack = new AsyncDisposableStack();
  const mirrored = stack.use(await openTestReconcile(fresh, { contacts: 1, bookings: 30 }));
  const { sandbox, store } = mirrored;
  const { service, handles } = sandbox;
  const inviteeWhere = (isUpcoming: boolean) =>
    service.state.invitees
      .values()
      .filter(({ status, no_show }) => status === 'active' && no_show === null)
      .find(({ event }) => {
        const { start_time: start = '', end_time: end = '' } = service.state.scheduledEvents.get(event) ?? {};
        return isUpcoming ? Date.parse(start) > Date.now() : Date.parse(end) < Date.now();
      })?.uri ?? '';
  const held = inviteeWhere(false);
  const upcoming = inviteeWhere(true);
  const canceled = service.state.invitees.values().find(({ uri }) => ![held, upcoming].includes(uri));
  if (canceled?.status === 'active') cancelInvitee(service, canceled, { cancelerType: 'host', reason: null });
  await mirrored.run({ repair: true });
  const config = loadConfig({
    ANSWERS,
    API_BASE_URL: handles.base_url,
    API_TOKEN: handles.tokens[token ?? 'owner'],
    ...(token && { ORGANIZATION_URI: handles.organization, USER_URI: handles.users.owner }),
  });
  const answers = answerRecorder({ config, store, nowMs: Date.now });
  const opened = async () => ({ store, [Symbol.asyncDispose]: async () => {} });
  const api = stack.use(await openReadApi(opened, { ...(answers && { answers }) }));
  const kept = stack.move();
  return {
    api,
    service,
    uris: { held, upcoming, canceled: canceled?.uri ?? '', unknown: held.replace(/[^/]+$/, 'nothing') },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

describe.each(storeEngines)('POST /api/answers on $name', ({ available, fresh }) => {
  it.runIf(available)('marks at the service, confirms, takes back, and answers what stands', async () => {
    await using world = await openWorld(fresh);
    const { api, service, uris } = world;
    const give = (answer: string) => api.post('/api/answers', { invitee: uris.held, answer });
    const markOf = () => service.state.invitees.get(uris.held)?.no_show?.uri ?? null;
    const marked = await give('no_show');
    expect(markOf()).not.toBeNull();
    expect(marked.body.resource).toEqual({
      invitee: uris.held,
      answer: 'no_show',
      outcome: 'no_show',
      attendance: 'no_show',
      attendance_basis: markOf(),
    });
    const confirmed = await give('came');
    expect([markOf(), confirmed.body.resource]).toMatchObject([
      null,
      {
        answer: 'came',
        outcome: 'held',
        attendance: 'confirmed',
        attendance_basis: expect.stringMatching(/^attendance/),
      },
    ]);
    expect((await give('none')).body.resource).toMatchObject({ answer: 'none', outcome: 'held' });
    const [last] = (await api.actions()).actions;
    expect(last).toMatchObject({
      operation: 'answerBooking',
      status: 200,
      input: { invitee: uris.held, answer: 'none' },
    });
    const { deliveries } = (await api.get(`/api/why?uri=${encodeURIComponent(uris.held)}`)).body;
    expect(deliveries.at(-1)).toMatchObject({ event: 'attendance.withdrawn', source: 'operator' });
  });

  it.runIf(available)('refuses what cannot be answered, and changes nothing', async () => {
    await using world = await openWorld(fresh);
    const { api, uris } = world;
    const rows: readonly (readonly [keyof typeof uris, string, number])[] = [
      ['unknown', 'came', 404],
      ['held', 'maybe', 400],
      ['upcoming', 'came', 409],
      ['upcoming', 'no_show', 409],
      ['canceled', 'no_show', 409],
    ];
    for (const [whose, answer, status] of rows)
      expect([whose, answer, (await api.post('/api/answers', { invitee: uris[whose], answer })).status]).toEqual([
        whose,
        answer,
        status,
      ]);
    const body = JSON.stringify({ invitee: uris.held, answer: 'came' });
    const headers = { authorization: `Bearer ${readToken}`, 'content-type': 'application/json' };
    expect((await api.admin.ask('/api/answers', { method: 'POST', headers, body })).status).toBe(403);
    expect((await api.get('/api/deliveries?source=operator')).body.collection).toEqual([]);
  });

  it.runIf(available)('passes a refusal of the service on in words, and is off by default', async () => {
    const ask = async (world: Awaited<ReturnType<typeof openWorld>>) => {
      await using opened = world;
      const { status, body } = await opened.api.post('/api/answers', { invitee: opened.uris.held, answer: 'no_show' });
      return [status, body.message];
    };
    expect(await ask(await openWorld(fresh, { token: 'no_scopes' }))).toEqual([
      403,
      expect.stringMatching(/the service answered 403 not permitted.*scheduled_events:write/),
    ]);
    expect(await ask(await openWorld(fresh, { ANSWERS: 'off' }))).toEqual([403, expect.stringContaining('ANSWERS=on')]);
  });
});
