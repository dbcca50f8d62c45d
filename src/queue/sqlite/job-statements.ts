// The table of jobs in the SQLite file of the embedded queue, and every statement on it.

import type Sqlite from 'better-sqlite3';
import type { JobJson } from 'bullmq';

export type JobState = 'wait' | 'active' | 'delayed' | 'completed' | 'failed';

export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: JobState;
  readonly opts: string;
  readonly added_at: number;
  readonly delay_ms: number;
  readonly progress: string;
  readonly attempts_made: number;
  readonly attempts_started: number;
  readonly stalled_count: number;
  readonly token: string | null;
  readonly processed_at: number | null;
  readonly finished_at: number | null;
  readonly failed_reason: string | null;
  readonly stacktrace: string | null;
  readonly return_value: string | null;
  readonly deferred_failure: string | null;
}

export interface NewJob {
  readonly queue: string;
  /** Undefined: the table numbers the job. A job whose id exists already is not added again. */
  readonly id: string | undefined;
  readonly name: string;
  readonly data: string;
  readonly opts: string;
  readonly addedAt: number;
  readonly delayMs: number;
}

export interface JobAddress {
  readonly queue: string;
  readonly id: string;
}

/** A job with the token of the worker that holds its lock. */
export interface HeldJob extends JobAddress {
  readonly token: string;
}

/** The worker that claims a job, and how long its lock lasts. */
export interface Claim {
  readonly queue: string;
  readonly token: string;
  readonly lockMs: number;
}

export interface StoredJob extends JobRow {
  readonly data: string;
}

/** As BullMQ reads it. */
export function toJobJson(job: StoredJob): JobJson {
  return {
    id: job.id,
    name: job.name,
    data: job.data,
    opts: JSON.parse(job.opts),
    progress: JSON.parse(job.progress),
    attemptsMade: job.attempts_made,
    attemptsStarted: job.attempts_started,
    stalledCounter: job.stalled_count,
    timestamp: job.added_at,
    delay: job.delay_ms,
    priority: 0,
    failedReason: job.failed_reason ?? '',
    stacktrace: job.stacktrace ?? '[]',
    returnvalue: job.return_value ?? 'null',
    ...(job.processed_at !== null && { processedOn: job.processed_at }),
    ...(job.finished_at !== null && { finishedOn: job.finished_at }),
    ...(job.deferred_failure !== null && { deferredFailure: job.deferred_failure }),
  };
}

export interface Failure {
  readonly failedReason: string | null;
  readonly stacktrace: string | null;
}

/** How a job ends; a job that is not kept is removed. */
export interface Outcome extends Partial<Failure> {
  readonly state: 'completed' | 'failed';
  readonly returnValue?: string;
  readonly keep: boolean;
}

// `position` orders the jobs of one state: waiting jobs by number, delayed ones by due time, active ones by the end of their lock,
// finished ones by the time they finished. The data is in a table of its own, so that a claim does not rewrite it.
export const schema = `
  create table if not exists job (
    seq integer primary key autoincrement,
    queue text not null,
    id text not null,
    name text not null,
    state text not null,
    position integer not null,
    opts text not null,
    added_at integer not null,
    delay_ms integer not null default 0,
    progress text not null default '0',
    attempts_made integer not null default 0,
    attempts_started integer not null default 0,
    stalled_count integer not null default 0,
    maybe_stalled integer not null default 0,
    token text,
    processed_at integer,
    finished_at integer,
    failed_reason text,
    stacktrace text,
    return_value text,
    deferred_failure text
  ) strict;
  create unique index if not exists job_id on job (queue, id);
  create index if not exists job_order on job (queue, state, position);
  create table if not exists job_data (seq integer primary key, data text not null) strict;
  create table if not exists note (
    queue text not null, name text not null, text text not null, primary key (queue, name)
  ) strict, without rowid;
`;

interface ToQueue {
  readonly queue: string;
}

interface InsertedJob extends JobAddress {
  readonly seq: number;
  readonly name: string;
  readonly state: JobState;
  readonly position: number;
  readonly opts: string;
  readonly addedAt: number;
  readonly delayMs: number;
}

/** The statements of the connection that adds jobs. */
export const prepareAdding = (database: Sqlite.Database) => ({
  insert: database.prepare<[InsertedJob]>(
    `insert into job (seq, queue, id, name, state, position, opts, added_at, delay_ms)
     values (@seq, @queue, @id, @name, @state, @position, @opts, @addedAt, @delayMs) on conflict (queue, id) do nothing`,
  ),
  insertData: database.prepare<[{ seq: number; data: string }]>(
    `insert into job_data (seq, data) values (@seq, @data)`,
  ),
});

/** The statements of the connection that works on jobs. */
export const prepareWorking = (database: Sqlite.Database) => ({
  find: database.prepare<[JobAddress], JobRow>(`select * from job where queue = @queue and id = @id`),
  data: database.prepare<[number], string>(`select data from job_data where seq = ?`).pluck(),
  promoteDue: database.prepare<[ToQueue & { now: number }]>(
    `update job set state = 'wait', position = seq, delay_ms = 0
     where queue = @queue and state = 'delayed' and position <= @now`,
  ),
  nextDue: database
    .prepare<[ToQueue], number | null>(`select min(position) from job where queue = @queue and state = 'delayed'`)
    .pluck(),
  claim: database.prepare<[ToQueue & { token: string; now: number; lockedUntil: number }], JobRow>(
    `update job set state = 'active', token = @token, position = @lockedUntil, maybe_stalled = 0, processed_at = @now,
       attempts_started = attempts_started + 1
     where seq = (select seq from job where queue = @queue and state = 'wait' order by position limit 1) returning *`,
  ),
  extendLock: database.prepare<[JobAddress & { token: string; lockedUntil: number }]>(
    `update job set position = @lockedUntil, maybe_stalled = 0
     where queue = @queue and id = @id and token = @token and state = 'active'`,
  ),
  requeue: database.prepare<[Failure & { seq: number; state: JobState; position: number; delayMs: number }]>(
    `update job set state = @state, position = @position, delay_ms = @delayMs, token = null,
       attempts_made = attempts_made + 1, failed_reason = @failedReason, stacktrace = @stacktrace
     where seq = @seq`,
  ),
  finish: database.prepare<[Failure & { seq: number; state: JobState; now: number; returnValue: string | null }]>(
    `update job set state = @state, position = @now, finished_at = @now, token = null,
       attempts_made = attempts_made + 1, return_value = @returnValue, failed_reason = @failedReason,
       stacktrace = @stacktrace
     where seq = @seq`,
  ),
  remove: database.prepare<[number]>(`delete from job where seq = ?`),
  removeData: database.prepare<[number]>(`delete from job_data where seq = ?`),
  reclaimStalled: database
    .prepare<[ToQueue & { now: number; maxStalled: number; reason: string }], string>(
      `update job set state = 'wait', position = seq, token = null, maybe_stalled = 0, stalled_count = stalled_count + 1,
         deferred_failure = case when stalled_count >= @maxStalled then @reason else deferred_failure end
       where queue = @queue and state = 'active' and maybe_stalled = 1 and position < @now returning id`,
    )
    .pluck(),
  noteActive: database.prepare<[ToQueue]>(
    `update job set maybe_stalled = 1 where queue = @queue and state = 'active' and maybe_stalled = 0`,
  ),
  setProgress: database.prepare<[JobAddress & { progress: string }]>(
    `update job set progress = @progress where queue = @queue and id = @id`,
  ),
  count: database
    .prepare<[ToQueue & { state: string }], number>(`select count(*) from job where queue = @queue and state = @state`)
    .pluck(),
  notes: database.prepare<[ToQueue], { name: string; text: string }>(
    `select name, text from note where queue = @queue`,
  ),
  addNote: database.prepare<[ToQueue & { name: string; text: string }]>(
    `insert into note (queue, name, text) values (@queue, @name, @text) on conflict do nothing`,
  ),
  writeNote: database.prepare<[ToQueue & { name: string; text: string }]>(
    `insert into note (queue, name, text) values (@queue, @name, @text) on conflict do update set text = @text`,
  ),
  removeNote: database.prepare<[ToQueue & { name: string }]>(`delete from note where queue = @queue and name = @name`),
  oldest: database
    .prepare<[ToQueue & { state: string; start: number; limit: number }], string>(
      `select id from job where queue = @queue and state = @state order by position, seq limit @limit offset @start`,
    )
    .pluck(),
  newest: database
    .prepare<[ToQueue & { state: string; start: number; limit: number }], string>(
      `select id from job where queue = @queue and state = @state order by position desc, seq desc
       limit @limit offset @start`,
    )
    .pluck(),
});
