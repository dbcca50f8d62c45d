// What a sink is: somewhere the feed is pushed to. A new one = one file that makes it + one line in sinks.ts; order, retries, the
// position and the hand-over between processes come with it (pump.ts).
import type { FeedEntry } from '#src/feed/entry.ts';

export interface Sink extends AsyncDisposable {
  readonly name: string;
  /** Entries of one lane leave in order, one send at a time. Lanes do not wait for each other. */
  laneOf(entry: FeedEntry): string;
  /** Most entries of a lane in one send. */
  readonly batch: number;
  /** Most sends at a time. */
  readonly concurrency: number;
  /**
   * Resolves once the entries are there. Anything thrown is tried again, for ever, so the same entries may come twice; `Trouble` says
   * more about when.
   */
  send(entries: readonly FeedEntry[], signal: AbortSignal): Promise<void>;
}

export interface SinkNeeds {
  /** The end of the log. */
  lastSeq(): Promise<number>;
}

/** Opens a sink; whether the other side is there shows when something is sent. */
export type OpenSink = (needs: SinkNeeds) => Promise<Sink>;

export interface TroubleFacts {
  /** A short code for logs and status: `503`, `ECONNREFUSED`. Never an address, never a word of the other side. */
  readonly code: string;
  /** How long the other side asks us to wait. */
  readonly askedMs?: number | undefined;
  /** Nobody answers, or asks everybody to wait: other lanes would fare no better. */
  readonly everywhere: boolean;
}

/** A send that failed. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly code: string;
  readonly askedMs: number | undefined;
  readonly everywhere: boolean;

  constructor({ code, askedMs, everywhere }: TroubleFacts) {
    super(`The other side did not take it (${code}).`);
    this.code = code;
    this.askedMs = askedMs;
    this.everywhere = everywhere;
  }
}
