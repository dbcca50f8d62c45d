// Opens the queue for a URL. A backend is loaded when it is chosen: BullMQ is large, and most commands do not need it.

import { join } from 'node:path';
import { SlotstreamError } from '#src/base/errors.ts';
import type { WorkerTiming } from '#src/queue/bullmq/worker.ts';
import type { DeliveryQueue } from './contract.ts';
import { readQueueAddress } from './queue-address.ts';
import { embeddedHasNoName } from './queue-owner.ts';
import type { Claimant } from '#src/queue/contract.ts';

export interface QueueInput {
  /** QUEUE_URL; the embedded queue in `dataDir` when it is not given. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Receives every error of the engine; there may be thousands per second. */
  readonly report: (error: Error) => void;
  /** Of an embedded queue: sets a damaged file aside, and is called with its new path. */
  readonly onDamaged?: (path: string) => void;
  /** Whom a check claims it for; undefined: it is not claimed, as by commands that only look. */
  readonly claimant?: () => Claimant;
  /** Queues of different names are independent. */
  readonly name?: string;
  readonly timing?: WorkerTiming;
}

const embeddedScheme = 'embedded:';

export function isEmbedded(url: string | undefined): boolean {
  return url === undefined || url.startsWith(embeddedScheme);
}

/** The folder of the embedded queue; undefined for other queues. */
export function embeddedFolder(url: string | undefined, dataDir: string): string | undefined {
  return isEmbedded(url) ? url?.slice(embeddedScheme.length) || join(dataDir, 'queue') : undefined;
}

export async function openQueue({
  url,
  dataDir,
  report,
  name = 'deliveries',
  timing,
  onDamaged,
  claimant,
}: QueueInput): Promise<DeliveryQueue> {
  const common = { name, report, timing, claimant };
  const folder = embeddedFolder(url, dataDir);
  const { url: server, name: space } = readQueueAddress(url ?? '');
  if (folder !== undefined && space !== undefined) throw embeddedHasNoName();
  if (folder !== undefined)
    return (await import('#src/queue/backends/embedded.ts')).openEmbeddedQueue({ ...common, folder, onDamaged });
  if (/^postgres(ql)?:\/\//.test(server))
    return (await import('#src/queue/backends/postgres.ts')).openPostgresQueue({ ...common, url: server, space });
  if (/^redis(s|\+sentinel|\+cluster)?:\/\//.test(server))
    return (await import('#src/queue/backends/redis.ts')).openRedisQueue({ ...common, url: server, space });
  throw new SlotstreamError('config', 'QUEUE_URL has a form that no queue supports.', {
    hint: 'Use redis://, rediss://, redis+sentinel://, redis+cluster://, postgres:// or embedded:PATH.',
  });
}
