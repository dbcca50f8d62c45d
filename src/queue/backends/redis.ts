// BullMQ on Redis or Valkey: one server, Sentinel or Cluster.

import { createRedisBackend, withBackend } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { withTimeout } from '#src/base/timeout.ts';
import type { BullEngine } from '#src/queue/bullmq/connection.ts';
import type { Pace } from '#src/queue/bullmq/worker.ts';
import { openBullQueue } from '#src/queue/bullmq/delivery-queue.ts';
import { calm } from '#src/queue/bullmq/fetch-backoff.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';
import { checkRedis } from './redis-check.ts';
import { readRedisUrl, type RedisTarget } from './redis-url.ts';

type Client = Redis | Cluster;

/** The braces make every key of the queue live in one slot of a Cluster, which BullMQ's scripts need. */
const prefix = '{slotstream}';

const pingDeadlineMs = 2000;

const retry = (times: number): number => Math.min(times * 100, 1000);

const common = {
  // After a failover the old master refuses writes: look up the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  connectTimeout: 5000,
} as const;

/** Adding fails at once while Redis is away, so that nothing piles up in memory: the intake has a spool for that. */
const forAdding = {
  ...common,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 5000,
} as const;

/** A worker waits for Redis for as long as it takes. */
const forWorking = { ...common, maxRetriesPerRequest: null, socketTimeout: 10_000 } as const;

/** The connection that waits for jobs is silent for up to 10 s when all is well. */
const forWaiting = { socketTimeout: 15_000 } as const;

type Limits = typeof forAdding | typeof forWorking;

export function openRedisQueue(input: {
  readonly url: string;
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly pace: Pace | undefined;
}): Promise<DeliveryQueue> {
  const target = readRedisUrl(input.url);
  const clients = new Set<Client>();
  const track = <T extends Client>(client: T): T => {
    clients.add(client);
    client.on('error', () => undefined); // reported through BullMQ; without any listener ioredis prints to the console
    client.on('end', () => clients.delete(client));
    return client;
  };
  const { Queue, Worker } = withBackend(calm(createRedisBackend));
  const adding = track(connect(target, forAdding));

  const engine: BullEngine = {
    engine: 'redis',
    makeQueue: (name, options) => new Queue(name, { ...options, connection: adding, prefix }),
    makeWorker: (name, processor, options) => {
      const working = track(connect(target, forWorking));
      duplicateTracked(working, track);
      // BullMQ leaves a connection that was handed to it open.
      return new Worker(name, processor, { ...options, connection: working, prefix }).on('closed', () =>
        working.disconnect(),
      );
    },
    check: () => checkRedis(adding instanceof Cluster ? adding.nodes('master') : [adding]),
    ping: async () => {
      try {
        await withTimeout(adding.ping(), pingDeadlineMs);
      } catch (error) {
        throw queueFailure(error);
      }
    },
    close: async () => {
      for (const client of clients) client.disconnect();
    },
  };
  return openBullQueue({ engine, ...input });
}

function connect(target: RedisTarget, limits: Limits): Client {
  // Commands wait for a lost connection only where there is somebody who wants to wait.
  const enableOfflineQueue = limits.maxRetriesPerRequest === null;
  if (target.kind === 'single') return new Redis(target.url, { ...limits, enableOfflineQueue, retryStrategy: retry });
  if (target.kind === 'cluster') {
    const redisOptions = { ...limits, ...target.credentials };
    return new Cluster([...target.hosts], { clusterRetryStrategy: retry, enableOfflineQueue, redisOptions });
  }
  return new Redis({
    ...limits,
    ...target.credentials,
    enableOfflineQueue,
    retryStrategy: retry,
    sentinels: [...target.hosts],
    name: target.master,
    db: target.db,
    ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    enableTLSForSentinelMode: target.credentials.tls !== undefined,
  });
}

/** BullMQ duplicates the worker's connection into the one it waits on; that one needs other limits and to be closed too. */
function duplicateTracked(client: Client, track: <T extends Client>(client: T) => T): void {
  if (client instanceof Cluster) {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (nodes, options) =>
      track(duplicate(nodes, { ...options, redisOptions: { ...options?.redisOptions, ...forWaiting } }));
  } else {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (options) => track(duplicate({ ...options, ...forWaiting }));
  }
}
