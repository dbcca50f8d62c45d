// The closed set of errors this program raises on purpose. Exit code and retry are tables over the code, so a new
// code cannot be added without deciding both.

const codes = {
  /** The command line makes no sense. */
  usage: { exit: 2, transient: false },
  /** The environment makes no sense. */
  config: { exit: 2, transient: false },
  /** Another process owns the embedded queue, or the verb may not use it. */
  queue_held: { exit: 2, transient: false },
  /** The queue did not answer in time, or refused. */
  queue_unavailable: { exit: 1, transient: true },
  /** The queue answers but would lose what it accepts (no AOF, evicting). */
  queue_unsafe: { exit: 2, transient: false },
  /** The store did not answer in time, is busy, full or restarting. */
  store_unavailable: { exit: 1, transient: true },
  /** The store holds a newer schema than this program knows. */
  store_newer: { exit: 2, transient: false },
  /** There is no mirror where one is to be read or changed. */
  no_mirror: { exit: 2, transient: false },
  /** The running process could not be asked. */
  not_running: { exit: 1, transient: false },
  /** What was named is not here. */
  not_found: { exit: 1, transient: false },
  /** The other side refused. */
  refused: { exit: 1, transient: false },
  /** The scheduling service did not answer in time, failed, or asked to be called less often. */
  service_unavailable: { exit: 1, transient: true },
  /** The scheduling service answered with something that makes no sense. */
  service_answer: { exit: 1, transient: false },
  /** A request that must not be sent twice got no answer: it may have been carried out. */
  unknown_outcome: { exit: 1, transient: false },
  /** A file cannot be written where it was asked for. */
  output: { exit: 1, transient: false },
  /** It was told to stop before it was done. */
  stopped: { exit: 1, transient: false },
  /** Another process is doing this at the moment. */
  busy: { exit: 1, transient: true },
  /** Somebody was erased while facts were being folded that may tell of them: to be read again. */
  erased_meanwhile: { exit: 1, transient: true },
} as const satisfies Record<string, { exit: 1 | 2; transient: boolean }>;

export type ErrorCode = keyof typeof codes;

/** An error a person will read: what happened, to what, and what to do next (`hint`). */
export class SlotstreamError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SlotstreamError';
    this.code = code;
    this.hint = options.hint;
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof SlotstreamError ? codes[error.code].exit : 1;
}

// SQLSTATE classes and SQLite/socket codes that pass by themselves: a retry, never a quarantine. Class 53 is
// "insufficient resources" (disk full included), 57P0x is shutdown and crash recovery, 57014 and 25P03 are time-outs set by
// an operator, 40xxx is deadlock and serialization.
const transientSqlStates = /^(08|53|57P|57014|40|55P03|25006|25P03|58)/;
const transientNames =
  /^(SQLITE_(BUSY|LOCKED|FULL|IOERR|NOMEM|PROTOCOL|READONLY|CANTOPEN)|ECONN|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ENOSPC|EMFILE|ENFILE)/;
const transientMessages =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Connection is closed|Command timed out|^(OOM|READONLY|MISCONF|LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN)\b/i;

/** True when doing the same thing again later can succeed: such a cause never exhausts attempts and never quarantines. */
export function isTransient(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if (current instanceof SlotstreamError) return codes[current.code].transient;
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    if (/^[0-9A-Z]{5}$/.test(code) ? transientSqlStates.test(code) : transientNames.test(code)) return true;
    if (transientMessages.test(current.message)) return true;
  }
  return false;
}

/** A short name for any error. Engines quote values, addresses and users in their words, so nothing else of them is kept. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^[\w-]{1,40}$/.test(code)) return code;
  // Redis puts its code into the message.
  if (error.name === 'ReplyError') return /^[A-Z]+\b/.exec(error.message)?.[0] ?? 'ReplyError';
  return /^\w{1,40}$/.test(error.name) ? error.name : 'Error';
}
