// What a sink is: somewhere the feed is pushed to. A new one = one file that makes it + one line in sinks.ts; order, retries, the
// position and the hand-over between processes come with it (pump.ts).
import type { FeedEntry } from '#src/feed/entry.ts';

export interface Sink extends AsyncDisposable {
  readonly name: string;
  /** Entries of one lane leave in order, one send at a time. Lanes do not wait for each other. */
  keyOf(entry: FeedEntry): string;
  /** Most entries of a lane in one send. */
  readonly batch: number;
  /** Most sends at a time. */
  readonly concurrency: number;
  /**
   * Resolves once the entries are there. Anything thrown is tried again, for ever, so the same entries may come twice; `SendError` says
   * more about when.
   */
  send(entries: readonly FeedEntry[], signal: AbortSignal): Promise<void>;
  /** Connects without sending or creating anything, and throws as `send` does; absent where that is not possible. */
  check?(signal: AbortSignal): Promise<void>;
  /** Where the sink ends now; absent where it keeps nothing that could differ from the log. */
  end?(): Promise<string>;
}

export interface SinkNeeds {
  /** The `source` of the entries as CloudEvents. */
  eventSource(): Promise<string>;
  /** Absent where there is none: then nothing is sent, and `check` only connects. */
  readonly log?: SinkLog;
}

/** The log of the mirror, and where the sink is in it. */
export interface SinkLog {
  /** The end of the log. */
  lastSeq(): Promise<number>;
  /** When each of these entries was received; those that are not in the log are left out. */
  receiptTimes(seqs: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The last entry that has arrived. */
  position(): Promise<number>;
  /** What `end` answered when a person last decided where the sink goes on. */
  settled(): Promise<string | undefined>;
}

/** Opens a sink. It need not be reachable yet: that shows with the first send. */
export type OpenSink = (needs: SinkNeeds) => Promise<Sink>;

export interface SendErrorDetails {
  /** A short code for logs and status: `503`, `ECONNREFUSED`. Never an address or a text from the sink. */
  readonly code: string;
  /** The wait that the sink asked for. */
  readonly requestedMs?: number | undefined;
  /** The sink does not answer, or asks all senders to wait: other keys would fail too. */
  readonly everywhere: boolean;
  /** What the operator can do, in a few words; for failures that do not pass by themselves. */
  readonly hint?: string | undefined;
}

export class SendError extends Error {
  override readonly name = 'SendError';
  readonly code: string;
  readonly requestedMs: number | undefined;
  readonly everywhere: boolean;
  readonly hint: string | undefined;

  constructor({ code, requestedMs, everywhere, hint }: SendErrorDetails) {
    super(`The sink did not accept it (${code}).`);
    this.code = code;
    this.requestedMs = requestedMs;
    this.everywhere = everywhere;
    this.hint = hint;
  }
}
