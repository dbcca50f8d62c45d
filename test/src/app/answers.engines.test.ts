// Signed links are served by a process that only receives too. test/src/library/mirror.test.ts has the other processes.
import { expect, inject, it } from 'vitest';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';

it.runIf(inject('redisUrl'))('a process that only receives opens the database for signed links', async () => {
  await using redis = await startRedis();
  await using home = await openHome({ ANSWERS: 'on', QUEUE_URL: redis.url });
  const link = new URL('/answers/forged.token', (await home.open('receive')).webhook);
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(link, { method });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('not valid any more');
  }
});
