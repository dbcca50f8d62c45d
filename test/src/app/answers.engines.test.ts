// Signed links on the public listener of a running product: served where ANSWERS is on, by a process that only receives too.
import { describe, expect, inject, it } from 'vitest';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';

async function answersOf(verb: 'start' | 'receive', settings: Readonly<Record<string, string>>) {
  await using home = await openHome(settings);
  const product = await home.open(verb);
  const link = new URL('/answers/forged.token', product.webhook);
  const answers = [await fetch(link), await fetch(link, { method: 'POST' })];
  return await Promise.all(
    answers.map(async (answer) => [answer.status, answer.headers.get('content-type'), await answer.text()]),
  );
}

const refusal = [404, 'text/html; charset=utf-8', expect.stringContaining('not valid any more')];

describe('signed links', () => {
  it('are served on the public listener where ANSWERS is on, and nowhere else', async () => {
    expect(await answersOf('start', { ANSWERS: 'on' })).toEqual([refusal, refusal]);
    for (const [status, type] of await answersOf('start', {}))
      expect([status, type]).toEqual([404, 'application/json']);
  });

  it.runIf(inject('redisUrl'))(
    'are served by a process that only receives, which opens the database for them',
    async () => {
      await using redis = await startRedis();
      expect(await answersOf('receive', { ANSWERS: 'on', QUEUE_URL: redis.url })).toEqual([refusal, refusal]);
    },
  );
});
