// Where the queue suites run: one place a backend, new and empty for every test, and named so that a child process can
// open it too.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import type { Pace } from '#src/queue/bullmq/worker.ts';
import type { DeliveryBatch, DeliveryQueue } from '#src/queue/contract.ts';
import { openQueue } from '#src/queue/registry.ts';
import { createDatabase } from '../../../harness/postgres.ts';

export interface Place {
  readonly url: string | undefined;
  readonly dataDir: string;
  readonly name: string;
  readonly pace?: Pace;
}

/** For tests that wait for several crashes; the real pace is tested where one crash is enough. */
export const hurried: Pace = { lockMs: 600, stalledMs: 400, sweepMs: 200 };

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

/** Making a PGlite folder takes seconds, copying one does not. */
let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const dataDir = await newFolder();
  const queue = await open({ url: undefined, dataDir, name: 'template' });
  await queue.close();
  return dataDir;
}

export const places = {
  redis: async (): Promise<Place> => ({ url: inject('redisUrl'), dataDir: tmpdir(), name: uniqueName() }),
  postgres: async (): Promise<Place> => ({
    url: await createDatabase(inject('postgresUrl')),
    dataDir: tmpdir(),
    name: 'deliveries',
  }),
  embedded: async (): Promise<Place> => {
    const dataDir = await newFolder();
    await cp(await (template ??= makeTemplate()), dataDir, { recursive: true });
    return { url: undefined, dataDir, name: 'deliveries' };
  },
};

export function open(place: Place, report: (error: Error) => void = () => undefined): Promise<DeliveryQueue> {
  return openQueue({ ...place, report });
}

export function batchOf(...bodies: readonly string[]): DeliveryBatch {
  return { v: 1, deliveries: bodies.map((body) => ({ body, receivedAt: '2025-04-14T11:42:33.115889Z' })) };
}

export function bodiesOf(batch: unknown): readonly string[] {
  return (batch as DeliveryBatch).deliveries.map((delivery) => delivery.body);
}

/** What a child process says, one line each. */
export interface ChildLine {
  readonly did: 'took' | 'finished' | 'gaveUp' | 'added' | 'ready';
  readonly body: string;
}

export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly ChildLine[];
  readonly exited: Promise<unknown>;
}

/** A process of its own that works on the place (or adds to it) until it is killed. See queue-child.ts. */
export function startChild(
  place: Place,
  task: 'hang' | 'dieOnPoison' | 'add' | 'hangSending',
  lines: ChildLine[] = [],
): Child {
  const script = join(import.meta.dirname, 'queue-child.ts');
  const child = spawn(process.execPath, [script, task, JSON.stringify(place)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as ChildLine));
  return { process: child, lines, exited: once(child, 'close') };
}

export async function kill9(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  await child.exited;
}
