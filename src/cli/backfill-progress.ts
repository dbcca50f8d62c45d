// The progress of `backfill` for the person at the terminal: what is read, how many calls that takes, how long it still takes, and why
// it pauses. `reconcile` prints its pauses too.
import { slotstream } from '#src/base/command.ts';
import { duration, number } from '#src/base/number-text.ts';
import type { RateLimitStatus } from '#src/base/retry-after.ts';
import { defaults } from '#src/upstream/client.ts';
import type { Pause } from '#src/upstream/rate-limiter.ts';
import type { ResourceOutcome } from '#workers/sync/backfill/backfill.ts';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import type { Notice, Resource, ResourceName } from '#workers/sync/resources/registry.ts';
import type { VerbContext } from './verb.ts';

const everyMs = 2_000;
/** After this time without a page or a pause, the wait is reported. */
const silenceMs = 10_000;
const shortPauseMs = 2_000;

/** `35 scheduled events, 35 invitees`. */
export function kindsText(byKind: Counts['by_kind'], total?: number): string {
  const texts = Object.entries(byKind).map(([kind, count]) => {
    const of = kind === countedKind && total !== undefined && count <= total ? ` of ${number(total)}` : '';
    return `${number(count)}${of} ${kind.replaceAll('_', ' ')}${count === 1 && of === '' ? '' : 's'}`;
  });
  return texts.join(', ');
}

/** The only kind that is counted ahead. */
const countedKind = 'scheduled_event';
const countedIn = ({ by_kind }: Counts): number => by_kind[countedKind] ?? 0;

interface Current {
  readonly name: ResourceName;
  readonly startedMs: number;
  readonly reportedMs: number;
  readonly atStart: Counts;
  readonly total?: number;
}

/** Prints each pause of the calls to the service, once. */
export function printPauses({ notify, now }: Pick<VerbContext, 'notify' | 'now'>) {
  let pausedUntilMs = 0;
  return {
    untilMs: () => pausedUntilMs,
    note(pause: Pause): void {
      const { ms } = pause;
      const untilMs = now().getTime() + ms;
      // Calls that wait at the same time pause together.
      if (ms < shortPauseMs || untilMs < pausedUntilMs + shortPauseMs) return;
      pausedUntilMs = untilMs;
      const seconds = `${Math.round(ms / 1000)} s`;
      if (pause.why === 'unavailable') return notify(`${pause.problem} Trying again in ${seconds}.`);
      // In the time zone of the terminal.
      const at = new Date(untilMs).toTimeString().slice(0, 8);
      notify(`Paused ${seconds}: rate limit reached, continuing at ${at}`);
    },
  };
}

export function printProgress({ notify, now }: Pick<VerbContext, 'notify' | 'now'>) {
  const nowMs = (): number => now().getTime();
  let current: Current | undefined;
  let lastSignMs = nowMs();
  const pauses = printPauses({ notify, now });
  const rateLimit = watchRateLimit();
  const silence = setInterval(() => {
    const silentMs = nowMs() - Math.max(lastSignMs, pauses.untilMs());
    if (silentMs >= silenceMs && current)
      notify(`${current.name}: waiting for an answer of the service for ${duration(silentMs)}`);
  }, silenceMs);
  silence.unref();

  /** Seconds; the slower of what the rate limit allows and what was measured. Within the first minute only the limit is known. */
  function secondsLeft({ total, startedMs, atStart }: Current, counts: Counts): number | undefined {
    // Meetings that are booked meanwhile come at the end.
    if (total === undefined || countedIn(counts) >= total) return undefined;
    const left = total - countedIn(counts);
    const done = countedIn(counts) - countedIn(atStart);
    // Negative when the list has started over.
    const measured = done <= 0 ? 0 : ((nowMs() - startedMs) / 1000 / done) * left;
    // A call each, and one per hundred to list them.
    const limited = ((left * 1.01 - rateLimit.free()) / (rateLimit.allowed() ?? Infinity)) * 60;
    return Math.max(1, measured, limited);
  }

  function line(at: Current, counts: Counts): string {
    const left = secondsLeft(at, counts);
    return [
      `${at.name}: ${kindsText(counts.by_kind, at.total) || '0 rows'}`,
      ...rateLimit.texts(),
      ...(left === undefined ? [] : [`about ${duration(left * 1000)} left`]),
    ].join('; ');
  }

  return {
    [Symbol.dispose]: () => clearInterval(silence),
    onRateLimit: rateLimit.note,
    onPause: pauses.note,
    onTotal({ name }: Resource, total: number): void {
      if (current?.name !== name) return;
      current = { ...current, total };
      const left = secondsLeft(current, current.atStart);
      const what = kindsText({ [countedKind]: total });
      notify(
        `${name}: ${what}, one call each; about ${duration((left ?? 0) * 1000)} (Ctrl-C is safe: the next run resumes)`,
      );
    },
    onProgress({ name }: Resource, counts: Counts): void {
      lastSignMs = nowMs();
      if (current?.name !== name) {
        current = { name, startedMs: lastSignMs, reportedMs: lastSignMs, atStart: counts };
        notify(
          counts.pages === 0
            ? `${name}: from the beginning`
            : `${name}: resuming after ${kindsText(counts.by_kind) || '0 rows'}`,
        );
      } else if (lastSignMs - current.reportedMs >= everyMs) {
        current = { ...current, reportedMs: lastSignMs };
        notify(line(current, counts));
      }
    },
    onNotice({ name }: Resource, notice: Notice): void {
      if (notice.kind === 'restarted') notify(`${name}: the page token has expired, so ${notice.list} starts over`);
      if (notice.kind === 'postponed') notify(`${name}: cannot be reached; it is tried again after the other lists`);
    },
    onOutcome({ name, state, counts, missing }: ResourceOutcome): void {
      const seconds = current?.name === name ? (nowMs() - current.startedMs) / 1000 : 0;
      const done =
        state === 'complete' ? `, ${kindsText(counts.by_kind) || '0 rows'} in ${number(Math.ceil(seconds))} s` : '';
      notify(`${name}: ${endings[state]}${done}`);
      for (const what of missing) notify(`  ✗ ${what.replace(' → ', '\n  → ')}`);
      if (counts.left_out > missing.length) notify(`  ✗ … ${number(counts.left_out - missing.length)} more`);
      if (missing.length > 0) notify(`  → Then: ${slotstream} backfill ${name}`);
    },
  };
}

const endings: Readonly<Record<ResourceOutcome['state'], string>> = {
  complete: 'done',
  already_complete: 'already done in this backfill (--restart reads it again)',
  stopped: 'stopped',
  refused: 'not readable, so it will be missing in the mirror',
  failed: 'not read to its end; the other lists are read all the same',
  skipped: 'skipped: EVENTS names none of its kinds',
  waiting: 'not started',
};

/** What the service says about its rate limit: it counts the calls of all the user's tools. */
function watchRateLimit() {
  let last: { readonly limit: number; readonly remaining: number } | undefined;
  /** The calls a minute at which the client pauses: the rest is for the user's other tools. */
  const allowed = (): number | undefined => last && last.limit - Math.floor(last.limit * defaults.reserveShare);
  return {
    allowed,
    /** The calls that are possible at once. */
    free: (): number => (last ? Math.max(0, last.remaining - last.limit + (allowed() ?? 0)) : 0),
    note({ limit, remaining }: RateLimitStatus): void {
      if (limit && remaining !== undefined) last = { limit, remaining };
    },
    texts(): readonly string[] {
      if (last === undefined) return [];
      const used = `${number(last.limit - last.remaining)} of ${number(last.limit)} calls used this minute`;
      return [`${used} (pauses at ${number(allowed() ?? 0)})`];
    },
  };
}
