// Opens the mirror for a verb, and reports on it whether or not a process is running.
import { codeOf, describeConnectFailure, isTransient, SlotstreamError } from '#src/base/errors.ts';
import { minuteMs } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import { alertTotals } from '#src/store/alerts/alert-queries.ts';
import type { Store } from '#src/store/contract.ts';
import { openStore, addressInWords } from '#src/store/open-store.ts';
import { openReading, type OpenReading } from '#src/store/reading/reading.ts';
import type { SettingName } from '#src/store/shared-settings.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import { requireSameSettings } from './mirror-settings.ts';
import { readRetentionState } from '#workers/fold/retention/retention-job.ts';
import { readReconcileState, type ReconcileState } from '#src/store/jobs/reconcile-state.ts';

interface MirrorOptions {
  readonly create?: boolean;
  readonly warns?: boolean;
  /** The settings that the caller acts by: one that its environment states otherwise than the mirror is refused. */
  readonly uses?: readonly SettingName[];
}

/**
 * Without `create`, a missing mirror is an error: a verb that only reads must not leave an empty one behind. `warns` is for processes that
 * go on running: they log the problems of the views, `doctor` reports them, and no other command repeats them.
 */
export async function openMirror(
  config: Config,
  log: Log,
  { create = false, warns = false, uses = [] }: MirrorOptions = {},
): Promise<Store> {
  const warn = ({ message, hint }: SlotstreamError) => {
    if (warns) log.warn({ hint }, message);
  };
  const { databaseUrl: url, stated } = config;
  // A mistake in the path or the schema would go unnoticed otherwise.
  const onCreated = () => log.info(`made a new, empty mirror ${addressInWords(url)}`);
  const store = await openStore({ report: errorLogger(log, 'store'), warn, stated, existing: !create, onCreated }, url);
  try {
    requireSameSettings(store.settings, stated, uses);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Closed by the caller, before the store. */
export const openReadingOf = ({ config, log, store }: ReadingParts): Promise<OpenReading> =>
  openReading({
    store,
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    readerScript: new URL(import.meta.resolve('#src/api/reader-process.ts')),
    report: errorLogger(log, 'reader'),
  });

interface ReadingParts {
  readonly config: Pick<Config, 'databaseUrl' | 'databaseReadUrl'>;
  readonly log: Log;
  readonly store: Store;
}

/** For a plan, which writes nothing: where there is no mirror yet, an empty one in memory. */
export async function openMirrorOrEmpty(config: Config, log: Log): Promise<Store> {
  try {
    return await openMirror(config, log);
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'no_mirror') throw error;
    return openStore({ report: errorLogger(log, 'store'), warn: () => {}, stated: config.stated }, 'sqlite::memory:');
  }
}

export async function mirrorStatus(store: Store): Promise<object> {
  const retention = await readRetentionState(store);
  return {
    store: await overviewOf(store),
    reconcile: await lastReconcileRuns(store),
    alerts: await alertTotals(store),
    ...(retention && { retention }),
  };
}

/** When the last complete runs ended, and what they found. */
export async function lastReconcileRuns(store: Store): Promise<Pick<ReconcileState, 'recent' | 'full'>> {
  const { contacts_from: _internal, ...runs } = await readReconcileState(store);
  return runs;
}

/** Logs errors of the same kind at most once per minute, with a count: an engine that is down can fail thousands of times. */
export function errorLogger(log: Log, component: string): (error: unknown) => void {
  const logThrottled = throttled(log, minuteMs);
  return (err) => {
    const code = codeOf(err);
    const what = err instanceof SlotstreamError ? err.message : code;
    // One outage has many messages: refused, no answer, no connection.
    if (component === 'queue' || !isOutage(err))
      logThrottled('error', `the ${component} reports an error: ${what}`, { err }, code);
    else logThrottled('warn', outageText(component, err), { cause: describeConnectFailure(err) }, component);
  };
}

/** The connection to the database failed or ended. A full disk, a lock and an error of our own are something else. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof SlotstreamError) &&
  isTransient(error) &&
  /^(08|57P|ECONN|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|EHOST|ENET|Error$)/.test(codeOf(error));

/** An outage of the database has a line of its own; this one tells what it affects. */
function outageText(component: string, error: unknown): string {
  if (codeOf(error) === '57P01') return 'PostgreSQL is shutting down; deliveries wait in the queue';
  if (component === 'store') return 'the database closed the connection, or does not answer; it is tried again';
  return `a request to the ${component} failed: the database does not answer`;
}
