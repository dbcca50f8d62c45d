// Where the queue suites run: one new, empty location per test, which a child process can open too.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import type { WorkerTiming } from '#src/queue/bullmq/worker.ts';
import type { DeliveryBatch, DeliveryQueue } from '#src/queue/contract.ts';
import { openQueue } from '#src/queue/registry.ts';
import { succeeds, until } from '../../../harness/ports.ts';
import { createDatabase } from '../../../harness/postgres.ts';

export interface QueueLocation {
  readonly url: string | undefined;
  readonly dataDir: string;
  readonly name: string;
  readonly timing?: WorkerTiming;
  readonly onDamaged?: (path: string) => void;
}

/** For tests that wait for several crashes; the real timing is tested where one crash is enough. */
export const fastTiming: WorkerTiming = { lockMs: 600, stalledMs: 400, recoveryMs: 200 };

const uniqueName = (): string => `test-${randomBytes(6).toString('hex')}`;
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-queue-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
}

export const locations = {
  redis: async (): Promise<QueueLocation> => ({ url: inject('redisUrl'), dataDir: tmpdir(), name: uniqueName() }),
  postgres: async (): Promise<QueueLocation> => ({
    url: await createDatabase(inject('postgresUrl')),
    dataDir: tmpdir(),
    name: 'deliveries',
  }),
  embedded: async (): Promise<QueueLocation> => {
    return { url: undefined, dataDir: await newFolder(), name: 'deliveries' };
  },
};

export function open(
  location: QueueLocation,
  report: (error: Error) => void = () => undefined,
): Promise<DeliveryQueue> {
  return openQueue({ ...location, report });
}

/** As `open`, for an engine that runs: on a busy machine the connection may take longer than the product waits for it. */
export async function openRunning(...args: Parameters<typeof open>): Promise<DeliveryQueue> {
  const queue = await open(...args);
  await until(() => succeeds(queue.depth()), 'the queue answers');
  return queue;
}

export function batchOf(...bodies: readonly string[]): DeliveryBatch {
  return { v: 1, deliveries: bodies.map((body) => ({ body, receivedAt: '2025-04-14T11:42:33.115889Z' })) };
}

export function bodiesOf(batch: unknown): readonly string[] {
  return (batch as DeliveryBatch).deliveries.map((delivery) => delivery.body);
}

/** What a child process prints, one line each. */
export interface ChildLine {
  readonly event: 'took' | 'finished' | 'quarantined' | 'added' | 'rejected' | 'ready';
  readonly body: string;
}

export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly ChildLine[];
  readonly exited: Promise<unknown>;
}

/** A separate process that works on the location (or adds to it) until it is killed. See queue-child.ts. */
export function startChild(
  location: QueueLocation,
  task: 'hang' | 'dieOnPoison' | 'add',
  lines: ChildLine[] = [],
): Child {
  const script = join(import.meta.dirname, 'queue-child.ts');
  const child = spawn(process.execPath, [script, task, JSON.stringify(location)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as ChildLine));
  return { process: child, lines, exited: once(child, 'close') };
}

export async function kill9(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  await child.exited;
}
