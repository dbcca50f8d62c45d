// Answers over the API, against the sandbox: what is answered, what is refused, and what is recorded.
import { beforeAll, describe, expect, it } from 'vitest';
import { answerRecorder } from '#src/app/answers.ts';
import { loadConfig } from '#src/config/load.ts';
import { readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openAnswerWorld } from '../../../harness/mirror/answer-world.ts';
import { oneEngine } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

describe.each(oneEngine)('POST /api/answers on $name', ({ fresh }) => {
  const world = openedOnce(() => openAnswerWorld(fresh));
  let api: Awaited<ReturnType<typeof openReadApi>>;
  beforeAll(async () => {
    api = await openReadApi(world.open, world.options);
  });

  it('refuses what cannot be answered, and changes nothing', async () => {
    const { uris } = world;
    const before = await api.get('/api/deliveries?source=operator');
    const rows: readonly (readonly [keyof typeof uris, string, number])[] = [
      ['unknown', 'came', 404],
      ['held', 'maybe', 400],
      ['upcoming', 'came', 409],
      ['upcoming', 'no_show', 409],
      ['canceled', 'no_show', 409],
    ];
    for (const [whose, answer, status] of rows) {
      const refused = await api.post('/api/answers', { invitee: uris[whose], answer });
      expect([whose, answer, refused.status]).toEqual([whose, answer, status]);
    }
    const body = JSON.stringify({ invitee: uris.held, answer: 'came' });
    const headers = { authorization: `Bearer ${readToken}`, 'content-type': 'application/json' };
    expect((await api.admin.ask('/api/answers', { method: 'POST', headers, body })).status).toBe(403);
    expect(await api.get('/api/deliveries?source=operator')).toEqual(before);
  });

  it('passes a refusal of the service on in words, and is off by default', async () => {
    await using forbidden = await openAnswerWorld(fresh, { token: 'no_scopes' });
    const answerTo = async (options: typeof world.options) => {
      const opened = await openReadApi(forbidden.open, options);
      const { status, body } = await opened.post('/api/answers', { invitee: forbidden.uris.held, answer: 'no_show' });
      return [status, body.message];
    };
    expect(await answerTo(forbidden.options)).toEqual([
      403,
      expect.stringMatching(/the service answered 403 not permitted.*scheduled_events:write/),
    ]);
    expect(answerRecorder({ config: loadConfig({}), store: forbidden.store, nowMs: Date.now })).toBeUndefined();
    expect(await answerTo({})).toEqual([403, expect.stringContaining('ANSWERS=on')]);
  });
});
