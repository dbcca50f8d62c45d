// Answers over the API, against the sandbox: what is answered, what is refused, and what is recorded.
import { describe, expect, it } from 'vitest';
import { readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openAnswerWorld, type AnswerWorldOptions } from '../../../harness/mirror/answer-world.ts';
import { oneEngine, type TestStore } from '../../../harness/stores.ts';

async function openWorld(fresh: () => Promise<TestStore>, options: AnswerWorldOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openAnswerWorld(fresh, options));
  const api = stack.use(await openReadApi(world.open, world.options));
  const kept = stack.move();
  return { ...world, api, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe.each(oneEngine)('POST /api/answers on $name', ({ available, fresh }) => {
  it.runIf(available)('marks at the service, confirms, takes back, and answers what stands', async () => {
    await using world = await openWorld(fresh);
    const { api, uris } = world;
    const give = (answer: string) => api.post('/api/answers', { invitee: uris.held, answer });
    const markOf = () => world.markOf(uris.held);
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
