// The client against the sandbox's clock and limits: a shared rate limit, and times by the service's clock.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getContact, getCurrentUser, listContacts } from '#src/upstream/endpoints.ts';
import { contact } from '#schemas/contact.ts';
import { z } from 'zod';
import { isExpiredToken } from '#src/upstream/api-error.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';
import { allOf, clientOf, failureOf } from '../../harness/sandbox/api-clients.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ contacts: 150, bookings: 0 })));
afterAll(() => sandbox[Symbol.asyncDispose]());

const advance = (ms: number) => sandbox.service.clock.advance(ms);
const clock = {
  nowMs: () => sandbox.service.clock.nowMs(),
  sleep: async (ms: number) => advance(ms),
};

it('several processes leave the reserve to the user’s other tools without communicating', async () => {
  const left: number[] = [];
  const refused: number[] = [];
  const watching = (async (url: URL, init?: RequestInit) => {
    const answer = await fetch(url, init);
    left.push(Number(answer.headers.get('x-ratelimit-remaining')));
    if (answer.status === 429) refused.push(answer.status);
    return answer;
  }) as typeof fetch;
  const [processes, calls] = [2, 25];
  await Promise.all(
    Array.from({ length: processes }, async () => {
      // A limit of 50 calls a minute, of which 20 are not ours.
      const client = clientOf(sandbox.handles.base_url, {
        as: sandbox.handles.tokens.free_plan,
        fetch: watching,
        ...clock,
      });
      for (let turn = 0; turn < calls; turn += 1) await getCurrentUser(client);
    }),
  );
  expect(left).toHaveLength(processes * calls);
  expect(refused).toEqual([]);
  // Each may have one call on its way when the reserve is reached.
  expect(Math.min(...left)).toBeGreaterThanOrEqual(20 - processes);
  expect(Math.min(...left)).toBeLessThanOrEqual(21);
});

it('the time of observation is by the service’s clock', async () => {
  advance(86_400_000);
  const client = clientOf(sandbox.handles.base_url, { as: sandbox.handles.tokens.owner });
  const body = { emails: [{ email: 'ada@example.test' }] };
  const made = await client.call({ method: 'POST', path: '/contacts', body, reads: z.object({ resource: contact }) });
  const { observed, value } = await getContact(client, made.value.resource.uri);
  const apartMs = Date.parse(observed) - Date.parse(value.created_at ?? '');
  expect(apartMs).toBeGreaterThan(-5_000);
  expect(apartMs).toBeLessThan(5_000);
});

it('an expired page token is recognized, and the list can be read again', async () => {
  const client = clientOf(sandbox.handles.base_url, { as: sandbox.handles.tokens.owner });
  const { value } = await listContacts(client, {}).next();
  advance(2 * 86_400_000);
  const from = value?.nextToken ?? '';
  expect(isExpiredToken(await failureOf(() => allOf(listContacts(client, {}, { from }))))).toBe(true);
  expect((await allOf(listContacts(client, {}))).length).toBeGreaterThanOrEqual(150);
});
