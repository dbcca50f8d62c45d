// The delivery log: the newest attempts, limited in number and size, and the count of all.

export interface Attempt {
  readonly subscription: string;
  readonly event: string;
  /** Counts from 1 for each message. */
  readonly attempt: number;
  readonly at: string;
  readonly url: string;
  readonly status: number | null;
  readonly error?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** As it is stored: the body stays bytes until the log is read. */
type LoggedAttempt = Omit<Attempt, 'body'> & { readonly body: Buffer };

/** `bytes` are those of bodies. */
export function createAttemptLog(most = { attempts: 10_000, bytes: 64 * 1024 * 1024 }) {
  let attempts: LoggedAttempt[] = [];
  // Attempts before this index are dropped. They are cut off many at a time, because each cut moves the rest.
  let first = 0;
  let bytes = 0;
  let total = 0;
  return {
    get newest(): readonly Attempt[] {
      return attempts.slice(first).map((attempt) => ({ ...attempt, body: attempt.body.toString() }));
    },
    get total(): number {
      return total;
    },
    add(attempt: LoggedAttempt): void {
      attempts.push(attempt);
      total += 1;
      bytes += attempt.body.length;
      while (attempts.length - first > most.attempts || (bytes > most.bytes && attempts.length - first > 1)) {
        bytes -= attempts[first]?.body.length ?? 0;
        first += 1;
      }
      if (first <= most.attempts / 2) return;
      attempts = attempts.slice(first);
      first = 0;
    },
  };
}
