// Watches a mirror's log from another process: how long after its arrival each delivery becomes visible.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { connect } from './mirror.ts';

/** V8 compiles for some seconds after the start, and the first rows of everything are created: they are reported apart. */
export const coldSeconds = 3;

interface Entry {
  readonly seq: number | string;
  readonly received_at: string | Date;
}

export interface LogReader extends AsyncDisposable {
  /** The entries after this one, in order. */
  after(seq: number): Promise<readonly Entry[]>;
}

export function sqliteLog(folder: string): LogReader {
  const database = new Sqlite(join(folder, 'mirror.db'), { readonly: true });
  const fresh = database.prepare<[number], Entry>('select seq, received_at from event_log where seq > ? order by seq');
  return { after: async (seq) => fresh.all(seq), [Symbol.asyncDispose]: async () => void database.close() };
}

export async function postgresLog(url: string): Promise<LogReader> {
  const client = await connect(url);
  return {
    after: (seq) => client.rows('select seq, received_at from event_log where seq > $1 order by seq', [seq]),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

export interface Waits {
  /** Milliseconds from the arrival to the look that found it, in the order of the log; up to now for what is not there yet. */
  readonly delays: readonly number[];
  readonly missing: number;
}

export interface Watch {
  /** Ends once everything is there that fell due at these times, or when `patienceMs` have passed. */
  end(dueAt: readonly number[], patienceMs: number): Promise<Waits>;
}

/** Looks at the log every few milliseconds, from its present end on. */
export async function watchLog(reader: LogReader, everyMs: number): Promise<Watch> {
  const delays: number[] = [];
  let seen = Number((await reader.after(0)).at(-1)?.seq ?? 0);
  let endAt = { entries: Infinity, ms: Infinity };
  const watching = (async () => {
    for (; delays.length < endAt.entries && Date.now() < endAt.ms; await wait(everyMs)) {
      const fresh = await reader.after(seen);
      const nowMs = Date.now();
      for (const { seq, received_at } of fresh) {
        seen = Number(seq);
        delays.push(nowMs - new Date(received_at).getTime());
      }
    }
  })();
  return {
    async end(dueAt, patienceMs) {
      endAt = { entries: dueAt.length, ms: Date.now() + patienceMs };
      await watching;
      // The log has them in about the order of their arrival, so the last ones are missing.
      const missing = dueAt.slice(delays.length).map((at) => Date.now() - at);
      return { delays: [...delays, ...missing], missing: missing.length };
    },
  };
}
