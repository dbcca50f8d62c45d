// Adds jobs to the SQLite file of the embedded queue. Each add is on the disk (fsync) before its promise resolves.

import { chmodSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { codeOf } from '#src/base/errors.ts';
import { type NewJob, prepareAdding, schema } from './job-statements.ts';

interface PendingAdd {
  readonly jobs: readonly NewJob[];
  resolve(ids: string[]): void;
  reject(error: unknown): void;
}

export class DurableAdds {
  readonly #database: Sqlite.Database;
  readonly #adding: ReturnType<typeof prepareAdding>;
  #pending: PendingAdd[] = [];
  #lastSeq: number;
  #mustRewrite = false;

  constructor(path: string) {
    this.#database = openFile(path);
    // A commit waits for fsync.
    this.#database.pragma('synchronous = FULL');
    this.#database.exec(schema);
    this.#adding = prepareAdding(this.#database);
    const last = this.#database.prepare<[], number>(`select seq from sqlite_sequence where name = 'job'`).pluck().get();
    this.#lastSeq = last ?? 0;
  }

  /** Adds of the same moment share one transaction and one fsync. */
  add(jobs: readonly NewJob[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ jobs, resolve, reject }) === 1) setImmediate(() => this.#commitPending());
    });
  }

  #commitPending(): void {
    const pending = this.#pending;
    this.#pending = [];
    try {
      this.#rewriteAfterFailure();
      const ids = inTransaction(this.#database, () => pending.map(({ jobs }) => jobs.map((job) => this.#insert(job))));
      for (const [index, { resolve }] of pending.entries()) resolve(ids[index] ?? []);
    } catch (error) {
      this.noteFailure(error);
      for (const { reject } of pending) reject(error);
    }
  }

  #insert({ data, ...job }: NewJob): string {
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    const id = job.id ?? String(seq);
    const state = job.delayMs > 0 ? 'delayed' : 'wait';
    const position = job.delayMs > 0 ? job.addedAt + job.delayMs : seq;
    const { changes } = this.#adding.insert.run({ ...job, id, seq, state, position });
    if (changes === 1) this.#adding.insertData.run({ seq, data });
    return id;
  }

  /** To be called with every error of this file: a failed write or fsync must be repaired before the next add. */
  noteFailure(error: unknown): void {
    this.#mustRewrite ||= codeOf(error).startsWith('SQLITE_IOERR');
  }

  /**
   * After a failed write or fsync the kernel may have dropped pages of the write-ahead log, and the next fsync does not report
   * that. A complete checkpoint writes every page to the database file, fsyncs it and begins a new log.
   */
  #rewriteAfterFailure(): void {
    if (!this.#mustRewrite) return;
    const busy = this.#database.pragma('wal_checkpoint(TRUNCATE)', { simple: true });
    if (busy !== 0) throw new Error('The write-ahead log of the queue is in use.');
    this.#mustRewrite = false;
  }

  close(): void {
    for (const { reject } of this.#pending.splice(0)) reject(new Error('The queue is closed.'));
    this.#database.close();
  }
}

export function openFile(path: string): Sqlite.Database {
  const database = new Sqlite(path);
  chmodSync(path, 0o600);
  // Only has an effect on a new file: a backlog that was worked off gives its space back at the next start.
  database.pragma('auto_vacuum = INCREMENTAL');
  database.pragma('journal_mode = WAL');
  return database;
}

export function inTransaction<T>(database: Sqlite.Database, work: () => T): T {
  if (database.inTransaction) return work();
  try {
    database.exec('begin immediate');
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}
