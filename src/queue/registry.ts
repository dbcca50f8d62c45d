// Opens the queue for a URL. A backend is loaded when it is chosen: BullMQ is large, and most commands do not need it.

import { join } from 'node:path';
import { SlotstreamError } from '#src/base/errors.ts';
import type { WorkerTiming } from '#src/queue/bullmq/worker.ts';
import type { DeliveryQueue } from './contract.ts';

export interface QueueInput {
  /** QUEUE_URL; the embedded queue in `dataDir` when it is not given. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Receives every error of the engine; there may be thousands per second. */
  readonly report: (error: Error) => void;
  /** Of an embedded queue: sets a damaged file aside, and is called with its new path. */
  readonly onDamaged?: (path: string) => void;
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
}: QueueInput): Promise<DeliveryQueue> {
  const common = { name, report, timing };
  const folder = embeddedFolder(url, dataDir);
  if (folder !== undefined)
    return (await import('#src/queue/backends/embedded.ts')).openEmbeddedQueue({ ...common, folder, onDamaged });
  const server = url ?? '';
  if (/^postgres(ql)?:\/\//.test(server))
    return (await import('#src/queue/backends/postgres.ts')).openPostgresQueue({ ...common, url: server });
  if (/^redis(s|\+sentinel|\+cluster)?:\/\//.test(server))
    return (await import('#src/queue/backends/redis.ts')).openRedisQueue({ ...common, url: server });
  throw new SlotstreamError('config', 'QUEUE_URL has a form that no queue supports.', {
    hint: 'Use redis://, rediss://, redis+sentinel://, redis+cluster://, postgres:// or embedded:PATH.',
  });
}
