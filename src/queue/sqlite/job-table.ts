// The jobs of the embedded queue in a SQLite file that this process owns. An add is on the disk (fsync) before its promise
// resolves. Everything else is written without fsync: losing it in a power cut only means that a job runs again.

import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { ErrorCode } from 'bullmq';
import type { QueueNotes } from '#src/queue/contract.ts';
import { syncFolderNow } from '#src/base/durable-file.ts';
import { DurableAdds, inTransaction, openFile } from './durable-adds.ts';
import {
  type Claim,
  type Failure,
  type HeldJob,
  type JobAddress,
  type JobRow,
  type NewJob,
  type Outcome,
  type StoredJob,
  prepareWorking,
} from './job-statements.ts';

/** A commit writes about ten pages of 4 kB. */
const commitsPerCheckpoint = 200;

export class JobTable {
  readonly #adds: DurableAdds;
  readonly #database: Sqlite.Database;
  readonly #working: ReturnType<typeof prepareWorking>;
  #commits = 0;
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(path: string) {
    this.#adds = new DurableAdds(path);
    this.#database = openFile(path);
    // A commit survives a crash of the process, and the fsync of the next add includes it.
    this.#database.pragma('synchronous = NORMAL');
    this.#database.pragma('wal_autocheckpoint = 0');
    syncFolderNow(dirname(path));
    this.#working = prepareWorking(this.#database);
    // This process owns the file, so the worker of an active job has died: the first check reclaims it.
    this.#database.exec(`update job set position = 0, maybe_stalled = 1 where state = 'active'`);
    // At most 100 MB: it blocks the start.
    this.#database.pragma('incremental_vacuum(25600)');
  }

  /** Resolves with the ids once the jobs are on the disk. */
  async add(jobs: readonly NewJob[]): Promise<string[]> {
    const ids = await this.#adds.add(jobs);
    for (const queue of new Set(jobs.map((job) => job.queue))) this.#wake(queue);
    return ids;
  }

  /** Runs several operations of a worker as one transaction. */
  together<T>(work: () => T): T {
    try {
      const result = inTransaction(this.#database, work);
      this.#checkpointSometimes();
      return result;
    } catch (error) {
      this.#adds.noteFailure(error);
      throw error;
    }
  }

  /** By hand, because SQLite does not report that an automatic checkpoint failed. */
  #checkpointSometimes(): void {
    if (this.#database.inTransaction) return;
    this.#commits += 1;
    if (this.#commits % commitsPerCheckpoint === 0) this.#database.pragma('wal_checkpoint(PASSIVE)');
  }

  /** Claims the job that has waited longest; undefined when none waits. */
  claim({ queue, token, lockMs }: Claim): StoredJob | undefined {
    return this.together(() => {
      const now = Date.now();
      this.#working.promoteDue.run({ queue, now });
      const row = this.#working.claim.get({ queue, token, now, lockedUntil: now + lockMs });
      return row && this.#withData(row);
    });
  }

  find(job: JobAddress): StoredJob | undefined {
    const row = this.#working.find.get(job);
    return row && this.#withData(row);
  }

  #withData(row: JobRow): StoredJob {
    return { ...row, data: this.#working.data.get(row.seq) ?? '{}' };
  }

  finish(job: HeldJob, outcome: Outcome, now: number): void {
    this.together(() => {
      const { seq } = this.#held(job);
      const { state, keep, returnValue = null, failedReason = null, stacktrace = null } = outcome;
      if (keep) this.#working.finish.run({ seq, state, now, returnValue, failedReason, stacktrace });
      else this.#remove(seq);
    });
  }

  /** Gives a job back, to be claimed again at `dueAt`, or at once when it is undefined. */
  requeue(job: HeldJob, failure: Failure, delay?: { readonly dueAt: number; readonly delayMs: number }): void {
    this.together(() => {
      const { seq } = this.#held(job);
      const target =
        delay === undefined
          ? { state: 'wait' as const, position: seq, delayMs: 0 }
          : { state: 'delayed' as const, position: delay.dueAt, delayMs: delay.delayMs };
      this.#working.requeue.run({ ...failure, ...target, seq });
    });
    this.#wake(job.queue);
  }

  /** The row of an active job whose lock `token` holds. */
  #held({ token, ...job }: HeldJob): JobRow {
    const row = this.#working.find.get(job);
    if (row === undefined) throw new JobError(ErrorCode.JobNotExist, `Missing key for job ${job.id}`);
    if (row.state !== 'active') throw new JobError(ErrorCode.JobNotInState, `Job ${job.id} is not in the active state`);
    if (row.token === null) throw new JobError(ErrorCode.JobLockNotExist, `Missing lock for job ${job.id}`);
    if (row.token !== token) throw new JobError(ErrorCode.JobLockMismatch, `Lock mismatch for job ${job.id}`);
    return row;
  }

  #remove(seq: number): void {
    this.#working.remove.run(seq);
    this.#working.removeData.run(seq);
  }

  /** False when the job is locked by a worker, or does not exist. */
  remove(job: JobAddress): boolean {
    return this.together(() => {
      const row = this.#working.find.get(job);
      if (row === undefined || row.state === 'active') return false;
      this.#remove(row.seq);
      return true;
    });
  }

  /** False when `token` no longer holds the lock. */
  extendLock({ queue, id, token }: HeldJob, lockMs: number): boolean {
    const lockedUntil = Date.now() + lockMs;
    return this.together(() => this.#working.extendLock.run({ queue, id, token, lockedUntil }).changes === 1);
  }

  /**
   * Gives back jobs whose lock has expired, and returns their ids. A job must be found active by two checks: a process that was
   * blocked extends its locks between them.
   */
  reclaimStalled(queue: string, maxStalled: number): string[] {
    const reason = 'job stalled more than allowable limit';
    const ids = this.together(() => {
      const reclaimed = this.#working.reclaimStalled.all({ queue, now: Date.now(), maxStalled, reason });
      this.#working.noteActive.run({ queue });
      return reclaimed;
    });
    if (ids.length > 0) this.#wake(queue);
    return ids;
  }

  setProgress(job: JobAddress, progress: string): boolean {
    return this.together(() => this.#working.setProgress.run({ ...job, progress }).changes === 1);
  }

  count(queue: string, state: string): number {
    return this.#working.count.get({ queue, state }) ?? 0;
  }

  /** The ids from position `start` to position `end` (-1: the last one). */
  ids(queue: string, state: string, range: { start: number; end: number; oldestFirst: boolean }): string[] {
    const { start, end, oldestFirst } = range;
    const limit = end < 0 ? -1 : end - start + 1;
    return (oldestFirst ? this.#working.oldest : this.#working.newest).all({ queue, state, start, limit });
  }

  hasWaiting(queue: string): boolean {
    return this.ids(queue, 'wait', { start: 0, end: 0, oldestFirst: true }).length > 0;
  }

  /** When the next delayed job is due; undefined when there is none. */
  nextDue(queue: string): number | undefined {
    return this.#working.nextDue.get({ queue }) ?? undefined;
  }

  /** Calls `wake` once, when a job of the queue may be ready or has got an earlier due time. Returns a function that cancels this. */
  onWork(queue: string, wake: () => void): () => void {
    const waiters = this.#waiters.get(queue) ?? new Set();
    this.#waiters.set(queue, waiters.add(wake));
    return () => void waiters.delete(wake);
  }

  #wake(queue: string): void {
    const waiters = this.#waiters.get(queue);
    this.#waiters.delete(queue);
    for (const wake of waiters ?? []) wake();
  }

  notes(queue: string): QueueNotes {
    return {
      read: async () => new Map(this.#working.notes.all({ queue }).map(({ name, text }) => [name, text])),
      add: async (name, text) => void this.together(() => this.#working.addNote.run({ queue, name, text })),
      write: async (name, text) => void this.together(() => this.#working.writeNote.run({ queue, name, text })),
      remove: async (names) =>
        this.together(() => {
          for (const name of names) this.#working.removeNote.run({ queue, name });
        }),
    };
  }

  close(): void {
    this.#database.close();
    this.#adds.close();
  }
}

/** The error that BullMQ's own backends throw in these cases. */
class JobError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(`${message}.`);
    this.code = code;
  }
}
