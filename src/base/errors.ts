// The closed set of errors this program raises on purpose, and the classification of errors raised by drivers. Exit code and
// retry are tables over the code, so a new code cannot be added without deciding both.

const codes = {
  usage: { exit: 2, transient: false },
  /** A setting or a file of the operator is invalid. */
  config: { exit: 2, transient: false },
  /** A disk is full, read-only, faulty or not there (`disk-failure.ts`). */
  disk_unavailable: { exit: 1, transient: true },
  /** Another program listens on the port; it may end. */
  port_in_use: { exit: 1, transient: true },
  /** The token is of another organization than the mirror. */
  other_organization: { exit: 2, transient: false },
  /** Another process owns the embedded queue, or the command cannot use it. */
  queue_held: { exit: 2, transient: false },
  /** The queue did not answer in time, or it failed. */
  queue_unavailable: { exit: 1, transient: true },
  /** The queue answers but could lose what it accepts (no AOF, evicting), or belongs to another mirror. */
  queue_unsafe: { exit: 2, transient: false },
  /** The store did not answer in time, or it is busy, full or restarting. */
  store_unavailable: { exit: 1, transient: true },
  /** The store has the schema of a version that this program does not support. Deliveries wait for one that does. */
  store_version: { exit: 3, transient: true },
  /** The store has a mirror whose tables have another form, or are in another schema than this program expects. */
  other_form: { exit: 2, transient: false },
  /** The environment states other settings than the mirror has. */
  other_settings: { exit: 3, transient: false },
  /** Settings of the mirror have changed while entries were folded: they must be folded by the new ones. */
  settings_changed: { exit: 1, transient: true },
  /** Nothing answered at the public URL, or someone else did: deliveries must not be sent there. */
  not_our_receiver: { exit: 3, transient: false },
  /** The command needs a mirror, and there is none. */
  no_mirror: { exit: 2, transient: false },
  /** A question to the mirror ran out of its time. */
  question_slow: { exit: 1, transient: false },
  /** Too many questions are being answered: this one was not asked. */
  questions_wait: { exit: 1, transient: true },
  not_running: { exit: 1, transient: false },
  not_found: { exit: 1, transient: false },
  /** The other side rejected the request. */
  refused: { exit: 1, transient: false },
  /** The scheduling service did not answer in time, failed, or limits the rate of calls. */
  service_unavailable: { exit: 1, transient: true },
  /** The scheduling service sent a response that cannot be parsed. */
  service_answer: { exit: 1, transient: false },
  /** A request that must not be repeated got no response: its outcome is unknown. */
  unknown_outcome: { exit: 1, transient: false },
  output: { exit: 1, transient: false },
  stopped: { exit: 1, transient: false },
  busy: { exit: 1, transient: true },
  /** A person was erased while facts that may mention them were folded: the batch must be parsed again. */
  erased_meanwhile: { exit: 1, transient: true },
} as const satisfies Record<string, { exit: 1 | 2 | 3; transient: boolean }>;

export type ErrorCode = keyof typeof codes;

/** An error for people: the message says what happened, the hint what to do next. */
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

// SQLSTATE classes, SQLite codes and socket codes of failures that pass by themselves: they are retried and never lead to a
// quarantine. Class 53 is "insufficient resources" (disk full included), 57P0x is shutdown and crash recovery, 57014 and 25P03 are
// timeouts set by an operator, 28xxx and 3Dxxx a login that is refused or a database that is away while it is replaced, 40xxx is deadlock
// and serialization; 26000 and 0A000 see `isUnprepared`.
const transientSqlStates = /^(08|28|3D|53|57P|57014|40|55P03|25006|25P03|58|26000|0A000)/;
const transientNames =
  /^(SQLITE_(BUSY|LOCKED|FULL|IOERR|NOMEM|PROTOCOL|READONLY|CANTOPEN)|ECONN|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ENOSPC|EMFILE|ENFILE)/;
const transientMessages =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Connection is closed|Command timed out|^(OOM|READONLY|MISCONF|LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN)\b/i;

/** True when the same operation can succeed later. Such an error never exhausts attempts and never quarantines a delivery. */
export function isTransient(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if (current instanceof SlotstreamError) return codes[current.code].transient;
    const code = ownCode(current);
    if (transientNames.test(code) || (/^[0-9A-Z]{5}$/.test(code) && transientSqlStates.test(code))) return true;
    if (transientMessages.test(current.message)) return true;
  }
  return false;
}

const contention = /^(SQLITE_BUSY|SQLITE_LOCKED|40P01|40001|55P03|26000|0A000|erased_meanwhile|settings_changed)/;

/**
 * True for conflicts between transactions that end within moments: two processes on one SQLite file, a deadlock on PostgreSQL, an
 * erasure or a change of settings during a fold, a statement that the server has to prepare again. The store retries these itself; longer failures are retried by its caller.
 */
export const isContention = (error: unknown): boolean => contention.test(codeOf(error));

/**
 * True when PostgreSQL does not run a statement by its name: the session was reset (26000), or another process has changed the type of
 * a column that the statement returns (0A000).
 */
export const isUnprepared = (error: unknown): boolean => /^(26000|0A000)$/.test(codeOf(error));

/** True when the database has no such table or schema. */
export const isMissingTable = (error: unknown): boolean =>
  /^(42P01|3F000)$/.test(codeOf(error)) || (error instanceof Error && /no such table/.test(error.message));

const connectFailures =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS|UNABLE_TO)/;

/** True when the connection failed before any byte of the request was sent. Takes the code of `rootCodeOf`. */
export const isConnectFailure = (code: string): boolean => connectFailures.test(code);

/** A short name for any error. Driver messages quote values, addresses and users, so nothing else of them is used. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const code = ownCode(error);
  if (/^[\w-]{1,40}$/.test(code)) return code;
  // Redis puts its code into the message.
  if (error.name === 'ReplyError') return /^[A-Z]+\b/.exec(error.message)?.[0] ?? 'ReplyError';
  return /^\w{1,40}$/.test(error.name) ? error.name : 'Error';
}

/** The code of the error's cause, where it has one: `fetch` wraps the error of the socket. */
export function rootCodeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? codeOf(error.cause) : 'Error';
  return cause === 'Error' ? codeOf(error) : cause;
}

/**
 * Why a connection failed: `ECONNREFUSED 127.0.0.1:6379`. Code and address only: messages can quote headers and passwords. A cause
 * without a code is one of `fetch` itself, such as a port that it never connects to.
 */
export function describeConnectFailure(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const causes = [error, cause, ...(cause instanceof AggregateError ? cause.errors : [])];
  if (error instanceof AggregateError) causes.push(...error.errors);
  const [address] = causes.flatMap((each) => {
    const { address: host, port } = Object(each);
    return typeof host === 'string' && typeof port === 'number'
      ? [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`]
      : [];
  });
  if (cause instanceof Error && cause.message === 'bad port') return 'HTTP clients do not use this port';
  return address === undefined ? rootCodeOf(error) : `${rootCodeOf(error)} ${address}`;
}

export function ownCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// Messages that BullMQ, ioredis and pg compose themselves: they contain job numbers and host addresses, never data.
const safeMessages = [
  /^(could not renew lock|Missing (lock|key)|Lock mismatch) for job/,
  /^(Connection is closed|Socket timeout|Command timed out|Stream isn't writeable|Reached the max retries)/,
  /^(Cluster is|Failed to refresh slots cache|None of startup nodes|Node is disconnected|Too many Cluster redirections)/,
  /^All sentinels are unreachable/,
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/,
  /^(connect E[A-Z]+|no answer within)/,
];

/** What ioredis says of a command while it is not connected. */
const lostConnection = /^(Connection is closed|Stream isn't writeable|Reached the max retries)/;

/**
 * Sanitizes the error of a driver for logs and messages: its first line when it is known to be safe, else its code. Driver errors
 * carry the command that failed, and with it people's data (ioredis in `command.args`, pg in `detail` and `where`).
 */
export function describeDriverError(error: unknown): string {
  if (!(error instanceof Error) || !safeMessages.some((form) => form.test(error.message))) return codeOf(error);
  if (lostConnection.test(error.message)) return 'there is no connection to the server';
  return error.message.split('\n', 1).join('').replace(/\.$/, '').slice(0, 200);
}
