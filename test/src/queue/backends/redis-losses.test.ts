// The marker against a server that loses writes between two attempts of the same command.
import type { RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { detectLosses } from '#src/queue/backends/redis-losses.ts';
import { addJobScript } from '#src/queue/bullmq/backend-overrides.ts';
import { eventually } from '../../../harness/moments.ts';

/** A Redis of jobs and one marker, with the semantics of the two scripts. */
function fakeRedis() {
  const state = { jobs: new Set<string>(), marker: 0 };
  const client = {
    defineCommand: () => undefined,
    eval: async (_script: string, count: number, ...rest: unknown[]) => {
      const [, ...keys] = rest.slice(0, count).map(String);
      if (state.marker < Number(rest[count])) return null;
      return keys.flatMap((key, at) => (state.jobs.has(key.split(':').at(-1) ?? '') ? [] : [at]));
    },
  };
  const add = (id: string, confirmed: number, number: number): [string, number] => {
    const before = state.marker;
    state.jobs.add(id);
    if (before >= confirmed && number > before) state.marker = number;
    return [id, before];
  };
  return { state, client, add };
}

it('an add that the client sends again to a stale replica does not hide the loss of an acknowledged one', async () => {
  const { state, client, add } = fakeRedis();
  const losses = detectLosses(client as unknown as Redis, 'p');
  const replies = new Map<string, PromiseWithResolvers<unknown>>();
  const sent = new Map<string, { confirmed: number; number: number }>();
  const bull = {
    client: Promise.resolve({
      runCommand: (_name: string, args: unknown[]) => {
        const [id, confirmed, number] = args.slice(addJobScript.keys + 1).map(String);
        sent.set(String(id), { confirmed: Number(confirmed), number: Number(number) });
        const reply = Promise.withResolvers<unknown>();
        replies.set(String(id), reply);
        return reply.promise;
      },
    }),
    addJob: async () => '',
    addJobToTransaction: (
      given: { runCommand(name: string, args: unknown[]): Promise<unknown> },
      _job: unknown,
      id: string,
    ) => given.runCommand('addStandardJob', [...Array.from({ length: addJobScript.keys }, String), id]),
  };
  const backend = losses.marking(() => bull as unknown as RedisQueueBackend)('q', {} as never);
  const issue = async (id: string): Promise<{ done: Promise<unknown> }> => {
    const done = backend.addJob({} as never, id);
    await eventually(() => replies.has(id)).toBe(true);
    return { done };
  };
  const answer = async (id: string, { done }: { done: Promise<unknown> }): Promise<void> => {
    const { confirmed = 0, number = 0 } = sent.get(id) ?? {};
    replies.get(id)?.resolve(add(id, confirmed, number));
    await done;
  };

  await answer('a', await issue('a'));
  const [b, c] = [await issue('b'), await issue('c')];
  await answer('b', b);
  // The master dies. The replica has `a` and its marker only, and the client sends `c` again, to the replica.
  state.jobs = new Set(['a']);
  state.marker = 1;
  await answer('c', c);
  expect(losses.count()).toBe(1);
});
