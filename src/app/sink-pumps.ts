// Pushes the feed to the configured sinks. Of all processes that share the store, one at a time fills each sink.
import type { Job, Schedules } from '#workers/sync/scheduling/scheduler.ts';
import { positionOf, pump, type PumpNeeds } from '#workers/out/push/pump.ts';
import { sinksFor, type NamedSink, type SinkSettings } from './sinks.ts';
import type { Tail } from '#src/feed/tail.ts';
import { throttled } from '#src/observability/log.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { startJobs, takeoverLeaseMs, type JobNeeds } from './jobs.ts';

export interface SinkStatus {
  /** Its offset in the log; null until it was first filled. */
  readonly position: number | null;
  readonly behind: number;
  /** By this process, since it started. */
  readonly sent: number;
  readonly failures: number;
  /** Subjects whose next entry the sink rejects and this process retries. */
  readonly failing: number;
  readonly last_error: string | null;
}

export interface SinkNeeds extends JobNeeds {
  readonly settings: SinkSettings;
  readonly tail: Tail;
}

export interface Sinks extends Schedules {
  status(): Promise<Readonly<Record<string, SinkStatus>>>;
  /** For operators, with the host that each sends to. */
  list(): Promise<readonly ListedSink[]>;
}

interface ListedSink extends Omit<SinkStatus, 'failing'> {
  readonly name: string;
  readonly host: string | null;
  readonly state: 'waiting' | 'current' | 'sending' | 'retrying' | 'elsewhere';
}

const warnEveryMs = 10_000;

interface Tally {
  sent: number;
  failures: number;
  /** Subjects whose next entry is being retried. */
  failing: number;
  lastCode: string | null;
  isHere: boolean;
}

export function startSinks({ settings, tail, ...needs }: SinkNeeds): Sinks {
  const { store, log } = needs;
  const chosen = sinksFor(settings, needs.nowMs);
  if (settings.pushUrl?.startsWith('http:') && !settings.pushAllowPrivate)
    log.warn({ variable: 'FEED_PUSH_URL' }, 'the feed is sent without encryption: anyone on the network can read it');
  const tallies = new Map<string, Tally>();
  const jobs = chosen.map((sink): Job => {
    const tally: Tally = { sent: 0, failures: 0, failing: 0, lastCode: null, isHere: false };
    tallies.set(sink.name, tally);
    const { include, events } = settings;
    return jobOf({ ...needs, tail }, { ...sink, include, events }, tally);
  });
  const schedules = startJobs(needs, jobs, { leaseMs: takeoverLeaseMs });
  const status = async (): Promise<Record<string, SinkStatus>> => {
    const last = await lastSeq(store);
    const statuses: Record<string, SinkStatus> = {};
    for (const [name, { sent, failures, failing, lastCode }] of tallies) {
      const position = await readPosition(store, positionOf(name));
      const behind = position === undefined ? 0 : Math.max(0, last - position);
      statuses[name] = { position: position ?? null, behind, sent, failures, failing, last_error: lastCode };
    }
    return statuses;
  };
  return {
    close: () => schedules.close(),
    status,
    async list() {
      return Object.entries(await status()).map(([name, { failing, ...sink }]): ListedSink => {
        const isHere = tallies.get(name)?.isHere ?? false;
        const host = chosen.find((each) => each.name === name)?.host ?? null;
        return { name, host, ...sink, state: stateOf({ ...sink, failing, isHere }) };
      });
    },
  };
}

function stateOf({
  position,
  behind,
  failing,
  isHere,
}: SinkStatus & { readonly isHere: boolean }): ListedSink['state'] {
  if (position === null) return 'waiting';
  if (!isHere) return 'elsewhere';
  if (failing > 0) return 'retrying';
  return behind > 0 ? 'sending' : 'current';
}

/** A job that runs for as long as it holds its lease. */
function jobOf(
  { store, tail, log, nowMs }: Omit<SinkNeeds, 'settings'>,
  { name, open, include, events }: Omit<NamedSink, 'host'> & Pick<SinkSettings, 'include' | 'events'>,
  tally: Tally,
): Job {
  const logThrottled = throttled(log, warnEveryMs);
  const needs: Omit<PumpNeeds, 'isHeld'> = {
    store,
    tail,
    nowMs,
    random: Math.random,
    onArrived: (count) => void (tally.sent += count),
    onFailed({ code, attempt, retryMs, hint }) {
      tally.failures += 1;
      if (attempt === 1) tally.failing += 1;
      tally.lastCode = code;
      logThrottled('warn', 'a sink did not accept an entry of the feed; it is retried', {
        sink: name,
        code,
        attempt,
        retryMs,
        ...(hint !== undefined && { hint }),
      });
    },
    onRecovered: () => void (tally.failing -= 1),
  };
  return {
    name: `sink ${name}`,
    everyMs: 1_000,
    async run(signal, isHeld) {
      log.info({ sink: name }, 'this process pushes the feed to the sink');
      tally.failing = 0;
      tally.isHere = true;
      try {
        await pump({ ...needs, isHeld }, { name, open, include, events }, signal);
      } finally {
        tally.failing = 0;
        tally.isHere = false;
      }
      return undefined;
    },
  };
}
