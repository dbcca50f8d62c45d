// The queue on Redis: one server, Sentinel or Cluster.

import { createRedisBackend, withBackend } from 'bullmq';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { backoffMs } from '#src/base/retry-policy.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { toQueueError, type BullEngine } from '#src/queue/bullmq/connection.ts';
import { openBullQueue, type QueueNeeds } from '#src/queue/bullmq/delivery-queue.ts';
import { withFetchBackoff } from '#src/queue/bullmq/backend-overrides.ts';
import type { DeliveryQueue, QueueNotes } from '#src/queue/contract.ts';
import { detectLosses } from './redis-losses.ts';
import { checkRedis } from './redis-check.ts';
import { readRedisUrl, type RedisTarget } from './redis-url.ts';

type Client = Redis | Cluster;

/** The braces put every key into one slot of a Cluster, which BullMQ's scripts require. */
const prefixOf = (space: string | undefined): string =>
  space === undefined ? '{slotstream}' : `{slotstream:${space}}`;

const pingTimeoutMs = 2000;

const reconnectMs = (attempt: number): number => backoffMs({ firstMs: 100, longestMs: 1000 }, attempt);

const common = {
  // After a failover the old master rejects writes; reconnecting finds the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  connectTimeout: 5000,
} as const;

/** Adding fails at once while Redis is down, so that nothing accumulates in memory: the disk log is for that. */
const forAdding = {
  ...common,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 5000,
} as const;

/** A worker waits for Redis without a limit. */
const forWorking = { ...common, maxRetriesPerRequest: null, socketTimeout: 10_000 } as const;

/** The connection that waits for jobs can be silent for 10 s in normal operation. */
const forWaiting = { socketTimeout: 15_000 } as const;

type Limits = typeof forAdding | typeof forWorking;

interface RedisQueueInput extends QueueNeeds {
  readonly url: string;
  /** The name in QUEUE_URL. */
  readonly space: string | undefined;
}

export async function openRedisQueue({ url, space, ...input }: RedisQueueInput): Promise<DeliveryQueue> {
  const target = readRedisUrl(url);
  const clients = new Set<Client>();
  const track = <T extends Client>(client: T): T => {
    clients.add(client);
    client.on('error', () => undefined); // reported through BullMQ; without any listener ioredis prints to the console
    client.on('end', () => clients.delete(client));
    return client;
  };
  const prefix = prefixOf(space);
  const adding = track(connect(target, forAdding));
  const losses = detectLosses(adding, `${prefix}:${input.name}`);
  const { Queue, Worker } = withBackend(losses.marking(withFetchBackoff(createRedisBackend)));

  const engine: BullEngine = {
    engine: 'redis',
    losses,
    notes: (name) => notesIn(adding, `${prefix}:${name}:notes`),
    makeQueue: (name, options) => new Queue(name, { ...options, connection: adding, prefix }),
    makeWorker: (name, processor, options) => {
      const working = track(connect(target, forWorking, workerClients(track)));
      // BullMQ does not close a connection that it was given.
      return new Worker(name, processor, { ...options, connection: working, prefix }).on('closed', () =>
        working.disconnect(),
      );
    },
    check: () => checkRedis(adding instanceof Cluster ? adding.nodes('master') : [adding]),
    ping: async () => {
      try {
        // A ping would go to any node of a Cluster; a key is at the master of the queue.
        await withTimeout(adding.exists(`${prefix}:${input.name}:meta`), pingTimeoutMs);
      } catch (error) {
        throw toQueueError(error);
      }
    },
    close: async () => {
      for (const client of clients) client.disconnect();
    },
  };
  return openBullQueue(engine, input);
}

const notesIn = (client: Client, key: string): QueueNotes => ({
  read: async () => new Map(Object.entries(await client.hgetall(key))),
  add: async (name, text) => void (await client.hsetnx(key, name, text)),
  write: async (name, text) => void (await client.hset(key, name, text)),
  remove: async (names) => void (names.length > 0 && (await client.hdel(key, ...names))),
});

function connect(
  target: RedisTarget,
  limits: Limits,
  clients: ReturnType<typeof workerClients> = { Redis, Cluster },
): Client {
  // Only workers queue commands while the connection is lost.
  const enableOfflineQueue = limits.maxRetriesPerRequest === null;
  if (target.kind === 'single')
    return new clients.Redis(target.url, { ...limits, enableOfflineQueue, retryStrategy: reconnectMs });
  if (target.kind === 'cluster') {
    const redisOptions = { ...limits, ...target.credentials };
    return new clients.Cluster([...target.hosts], {
      clusterRetryStrategy: reconnectMs,
      enableOfflineQueue,
      redisOptions,
    });
  }
  return new clients.Redis({
    ...limits,
    ...target.credentials,
    enableOfflineQueue,
    retryStrategy: reconnectMs,
    sentinels: [...target.hosts],
    name: target.master,
    db: target.db,
    ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    enableTLSForSentinelMode: target.credentials.tls !== undefined,
  });
}

/** BullMQ duplicates the worker's connection to wait for jobs; the duplicate needs other limits and must be closed too. */
function workerClients(track: <T extends Client>(client: T) => T) {
  return {
    Redis: class extends Redis {
      override duplicate(options?: Partial<RedisOptions>): Redis {
        return track(super.duplicate({ ...options, ...forWaiting }));
      }
    },
    Cluster: class extends Cluster {
      override duplicate(...[nodes, options]: Parameters<Cluster['duplicate']>): Cluster {
        return track(super.duplicate(nodes, { ...options, redisOptions: { ...options?.redisOptions, ...forWaiting } }));
      }
    },
  };
}
