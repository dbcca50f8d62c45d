// What `status` and `doctor` report: the answers of the processes on this data folder, and what the store has about all processes.
import { z } from 'zod';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { processRecord } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';

export interface StatusReport {
  /** Whether a process answers on this data folder. */
  readonly running: boolean;
  readonly processes: readonly ProcessRow[];
  /** The answer of a process on this data folder, one with the tables if there is one; without any, what the store has. */
  readonly status: object;
  /** Why the store could not be read. */
  readonly problem: SlotstreamError | undefined;
}

/** A running process may be of another version: a part of another shape is left out. */
export const statusAnswer = z.looseObject({
  store: z.looseObject({}).optional().catch(undefined),
  processes: z.array(processRecord).default([]).catch([]),
});

/** One entry per process, the newest, in a stable order. */
export function mergeProcesses(all: readonly ProcessRow[]): readonly ProcessRow[] {
  const newest = new Map<string, ProcessRow>();
  for (const each of all) if (each.seen_at >= (newest.get(each.id)?.seen_at ?? '')) newest.set(each.id, each);
  const orderOf = ({ role, host, started_at }: ProcessRow) => `${role} ${host} ${started_at}`;
  return [...newest.values()].toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

export async function readStatus(needs: { readonly config: Config; readonly log: Log }): Promise<StatusReport> {
  const { config } = needs;
  const request = { token: () => openAdminToken(config), path: '/api/status' };
  const answers = await askRunning(config.dataDir, request).catch((error: unknown): readonly unknown[] => {
    if (error instanceof SlotstreamError && error.code === 'not_running') return [];
    throw error;
  });
  const read = answers.map((each) => statusAnswer.parse(each));
  const [first] = read;
  const { problem, ...mirror }: MirrorReport = first?.store ? {} : await readMirror(needs);
  const listed = [...read, statusAnswer.parse(mirror)].flatMap(({ processes }) => processes);
  return { running: first !== undefined, processes: mergeProcesses(listed), status: { ...first, ...mirror }, problem };
}

interface MirrorReport {
  readonly problem?: SlotstreamError;
  readonly store?: object;
  readonly processes?: readonly ProcessRow[];
}

async function readMirror({ config, log }: { readonly config: Config; readonly log: Log }): Promise<MirrorReport> {
  // Loaded only here: asking a running process needs no store.
  const { mirrorStatus, openMirror } = await import('./mirror.ts');
  const { listProcesses } = await import('#src/store/processes.ts');
  try {
    await using store = await openMirror(config, log);
    return { ...(await mirrorStatus(store)), processes: await listProcesses(store, Date.now()) };
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    const states: Partial<Record<string, string>> = { no_mirror: 'no mirror yet', store_unavailable: 'not answering' };
    const state = states[error.code];
    if (state === undefined) throw error;
    return { store: { state }, problem: error };
  }
}
