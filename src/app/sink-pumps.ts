// The sinks that the settings ask for: each filled by one process at a time, of however many share the store.
import { randomUUID } from 'node:crypto';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { startSchedules, type Job, type Schedules } from '#workers/scheduling/scheduler.ts';
import { positionOf, pump, type PumpNeeds } from '#workers/sinks/pump.ts';
import { sinksFor, type NamedSink, type SinkSettings } from '#workers/sinks/sinks.ts';
import type { Tail } from '#src/feed/tail.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';

/** The state of one sink. */
export interface SinkStatus {
  /** Its offset in the log; null until it was first filled. */
  readonly position: number | null;
  /** Log entries between its offset and the end of the log. */
  readonly behind: number;
  /** By this process, since it started. */
  readonly sent: number;
  readonly failures: number;
  /** Subjects whose next entry the sink rejects and this process retries. */
  readonly failing: number;
  readonly last_error: string | null;
}

export interface SinkNeeds {
  readonly settings: SinkSettings;
  readonly store: Store;
  readonly tail: Tail;
  readonly log: Log;
}

export interface Sinks extends Schedules {
  /** By name; for status and metrics. */
  standing(): Promise<Readonly<Record<string, SinkStatus>>>;
}

/** Short: whoever dies is followed soon. */
const leaseMs = 15_000;
const troubleEveryMs = 10_000;

interface Tally {
  sent: number;
  failures: number;
  /** Lanes that wait to be tried again. */
  failing: number;
  lastCode: string | null;
}

export function startSinks({ settings, store, tail, log }: SinkNeeds): Sinks {
  const chosen = sinksFor(settings, Date.now);
  const tallies = new Map<string, Tally>();
  const jobs = chosen.map((sink): Job => {
    const tally: Tally = { sent: 0, failures: 0, failing: 0, lastCode: null };
    tallies.set(sink.name, tally);
    return jobOf({ store, tail, log }, sink, tally);
  });
  const lease = { store, nowMs: Date.now, holder: randomUUID(), leaseMs };
  const schedules = startSchedules({ ...lease, log, sleep: sleepUnlessAborted, random: Math.random }, jobs);
  return {
    close: () => schedules.close(),
    async standing() {
      const last = await lastSeq(store);
      const standings: Record<string, SinkStatus> = {};
      for (const [name, { sent, failures, failing, lastCode }] of tallies) {
        const position = await readPosition(store, positionOf(name));
        const place = { position: position ?? null, behind: position === undefined ? 0 : Math.max(0, last - position) };
        standings[name] = { ...place, sent, failures, failing, last_error: lastCode };
      }
      return standings;
    },
  };
}

type JobNeeds = Omit<SinkNeeds, 'settings'>;

/** A job that goes on for as long as its lease is kept. */
function jobOf({ store, tail, log }: JobNeeds, { name, open }: NamedSink, tally: Tally): Job {
  const say = throttled(log, troubleEveryMs);
  const needs: Omit<PumpNeeds, 'isHeld'> = {
    store,
    tail,
    nowMs: Date.now,
    random: Math.random,
    onArrived: (count) => void (tally.sent += count),
    onFailed({ code, attempt, retryMs }) {
      tally.failures += 1;
      if (attempt === 1) tally.failing += 1;
      tally.lastCode = code;
      say('warn', 'a sink did not take an entry of the feed: it is tried again', {
        sink: name,
        code,
        attempt,
        retryMs,
      });
    },
    onRecovered: () => void (tally.failing -= 1),
  };
  return {
    name: `sink ${name}`,
    everyMs: 1_000,
    async run(signal, isHeld) {
      log.info({ sink: name }, 'pushing the feed from here');
      tally.failing = 0;
      await pump({ ...needs, isHeld }, { name, open }, signal);
      tally.failing = 0;
      return undefined;
    },
  };
}
