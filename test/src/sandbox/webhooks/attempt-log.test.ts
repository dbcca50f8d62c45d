// The log of delivery attempts.
import { expect, it } from 'vitest';
import { createAttemptLog } from '#src/sandbox/webhooks/attempt-log.ts';

it('the delivery log stores the newest attempts and counts all; fewer when their bodies are large, but always the last', () => {
  const log = createAttemptLog({ attempts: 10, bytes: 1000 });
  const about = { subscription: 'a', event: 'contact.created', at: '', url: '', status: 202, headers: {} };
  const add = (attempt: number, size = 1) => log.add({ ...about, attempt, body: Buffer.alloc(size, 'x') });
  const kept = () => log.newest.map(({ attempt }) => attempt);
  for (let number = 1; number <= 57; number += 1) add(number);
  expect([kept(), log.total]).toEqual([[48, 49, 50, 51, 52, 53, 54, 55, 56, 57], 57]);
  for (const number of [58, 59, 60]) add(number, 400);
  expect([kept(), log.newest[0]?.body.length]).toEqual([[59, 60], 400]);
  add(61, 5000);
  expect(kept()).toEqual([61]);
});
