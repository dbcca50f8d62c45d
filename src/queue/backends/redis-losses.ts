// Finds out that Redis has lost what it accepted: wiped, restored, or failed over to a replica that lags behind.
//
// A job with an id of ours is added together with a marker, a number that only this process raises, in one script. A later job is never
// kept where an earlier one is lost (replication and the append-only file are in order), so a marker below the last confirmed
// number proves a loss, and a sufficient marker proves that a job which is not in the queue is finished.
import { randomUUID } from 'node:crypto';
import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { addJobScript, withOverrides } from '#src/queue/bullmq/backend-overrides.ts';
import type { LossDetection } from '#src/queue/contract.ts';

/** Keys of processes that were killed disappear by themselves. */
const markerSeconds = 86_400;

/**
 * BullMQ's script, followed by the marker, so that no rollback separates them. It never raises a marker that is too low: a command
 * whose reply was lost must not hide a loss. It returns the marker as it was before, because a Cluster sends a command again by itself:
 * what was confirmed between the two attempts is only known here.
 */
const markedScript = `
local function addJob()
${addJobScript.content}
end
local added = addJob()
local value = tonumber(redis.call('get', KEYS[#KEYS]) or 0)
local confirmed, number, seconds = unpack(ARGV, #ARGV - 2)
if value >= tonumber(confirmed) and tonumber(number) > value then redis.call('set', KEYS[#KEYS], number, 'EX', seconds) end
return { added, value }`;

/** Returns the positions of the jobs that are not in the queue; nil when the marker is too low. */
const findFinished = `
local value = tonumber(redis.call('get', KEYS[1]) or 0)
if value < tonumber(ARGV[1]) then return nil end
redis.call('expire', KEYS[1], ARGV[2])
local finished = {}
for at = 2, #KEYS do
  if redis.call('exists', KEYS[at]) == 0 then finished[#finished + 1] = at - 2 end
end
return finished`;

const markedCommand = 'slotstreamAddMarked';

export interface RedisLossDetection extends LossDetection {
  /** A factory whose backends add jobs with an id together with the marker. */
  marking(factory: BackendFactory<RedisQueueBackend>): BackendFactory<RedisQueueBackend>;
}

export function detectLosses(client: Redis | Cluster, prefix: string): RedisLossDetection {
  const markerKey = `${prefix}:disk-log:${randomUUID()}`;
  client.defineCommand(markedCommand, { numberOfKeys: addJobScript.keys + 1, lua: markedScript });
  let issued = 0;
  let confirmed = 0;
  let losses = 0;

  function lost(since: number): void {
    // A reply to a command of before the loss was found says nothing new.
    if (since !== losses) return;
    losses += 1;
    confirmed = 0;
  }

  async function addMarked(
    backend: RedisQueueBackend,
    ...[job, jobId, parent]: Parameters<RedisQueueBackend['addJob']>
  ): Promise<string> {
    const bullClient = await backend.client;
    async function runCommand(_name: string, args: readonly unknown[]): Promise<unknown> {
      const since = losses;
      issued += 1;
      const number = issued;
      const keys = args.slice(0, addJobScript.keys);
      const marked = [...keys, markerKey, ...args.slice(keys.length), confirmed, number, markerSeconds];
      const reply: unknown = await bullClient.runCommand(markedCommand, marked);
      const [added, before] = Array.isArray(reply) ? reply : [];
      if (!(Number(before) >= confirmed)) lost(since);
      else if (since === losses) confirmed = Math.max(confirmed, number);
      return added;
    }
    const marking: typeof bullClient = Object.create(bullClient, { runCommand: { value: runCommand } });
    return backend.addJobToTransaction(marking, job, jobId, parent);
  }

  return {
    marking: (factory) =>
      withOverrides(factory, (backend) => {
        const addPlain = backend.addJob.bind(backend);
        return { addJob: (...job) => (job[1] === undefined ? addPlain(...job) : addMarked(backend, ...job)) };
      }),
    count: () => losses,
    async finished(jobIds) {
      const since = losses;
      const keys = [markerKey, ...jobIds.map((id) => `${prefix}:${id}`)];
      const found: unknown = await client.eval(findFinished, keys.length, ...keys, confirmed, markerSeconds);
      if (!Array.isArray(found)) lost(since);
      // Found under an earlier count, it proves nothing.
      if (!Array.isArray(found) || since !== losses) return [];
      return found.map((at) => jobIds[Number(at)] ?? '');
    },
  };
}
