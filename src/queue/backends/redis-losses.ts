// Finds out that Redis has lost what it accepted: wiped, restored, or failed over to a replica that lags behind.
//
// Each job with an id of ours is added in one transaction with a marker, a number that only this process raises. A later job is never
// kept where an earlier one is lost (replication and the append-only file are in order), so a marker below the last confirmed
// number proves a loss, and a sufficient marker proves that a job which is not in the queue is finished.
import { randomUUID } from 'node:crypto';
import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { LossDetection } from '#src/queue/contract.ts';

/** Keys of processes that were killed disappear by themselves. */
const markerSeconds = 86_400;

/** Never raises a marker that is too low: a command whose reply was lost must not hide a loss. */
const raiseMarker = `
local value = tonumber(redis.call('get', KEYS[1]) or 0)
if value < tonumber(ARGV[1]) then return 0 end
if tonumber(ARGV[2]) > value then redis.call('set', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return 1`;

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

const raiseCommand = 'slotstreamRaiseMarker';

export interface RedisLossDetection extends LossDetection {
  /** A factory whose backends add jobs with an id together with the marker. */
  marking(factory: BackendFactory<RedisQueueBackend>): BackendFactory<RedisQueueBackend>;
}

export function detectLosses(client: Redis | Cluster, prefix: string): RedisLossDetection {
  const markerKey = `${prefix}:journal:${randomUUID()}`;
  client.defineCommand(raiseCommand, { numberOfKeys: 1, lua: raiseMarker });
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
    const transaction = (await backend.client).multi();
    await backend.addJobToTransaction(transaction, job, jobId, parent);
    const since = losses;
    issued += 1;
    const number = issued;
    transaction.runCommand(raiseCommand, [markerKey, confirmed, number, markerSeconds]);
    const [added, raised] = (await transaction.exec()) ?? [];
    const error = added?.[0] ?? raised?.[0] ?? (added && raised ? null : new Error('EXECABORT'));
    if (error) {
      // Redis has dropped its scripts (SCRIPT FLUSH). They are sent again on a new connection.
      if (error.message.startsWith('NOSCRIPT')) client.disconnect(true);
      throw error;
    }
    if (raised?.[1] === 0) lost(since);
    else if (since === losses) confirmed = Math.max(confirmed, number);
    return jobId;
  }

  return {
    marking: (factory) => (name, options, more) => {
      const backend = factory(name, options, more);
      const addPlain = backend.addJob.bind(backend);
      backend.addJob = (...job) => (job[1] === undefined ? addPlain(...job) : addMarked(backend, ...job));
      return backend;
    },
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
