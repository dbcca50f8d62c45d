// Runs the checks of `doctor`: what it alone can try, and then the list that every view shows. A check that fails does not hide the others.
import { openMirror } from '#src/app/mirror.ts';
import { readStatus } from '#src/app/read-status.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { checkAdminUrl } from './admin-url.ts';
import { checkAlerts } from './alerts.ts';
import { Report, type Check, type CheckNeeds } from './check.ts';
import { checkQueue, checkStore } from './engines.ts';
import { checkDataFolder, checkEnvFile, checkDamagedFiles, checkKeys, checkSettings } from './local.ts';
import { checkPublicUrl } from './public-url.ts';
import { checkSinks } from './sinks.ts';
import { checkService } from './service.ts';
import { checkSubscriptions } from './subscriptions.ts';

/** From the inside out: the later checks depend on what the earlier ones examine. */
const checks: Readonly<Record<string, Check>> = {
  settings: checkSettings,
  '.env': checkEnvFile,
  'data folder': checkDataFolder,
  'signing key': checkKeys,
  queue: checkQueue,
  store: checkStore,
  'damaged files': checkDamagedFiles,
  service: checkService,
  'public URL': checkPublicUrl,
  subscriptions: checkSubscriptions,
  alerts: checkAlerts,
  'admin URL': checkAdminUrl,
  feed: checkSinks,
};

export async function examine(given: Omit<CheckNeeds, 'mirror'>): Promise<readonly HealthCheck[]> {
  const opening = openMirror(given.config, given.log);
  await using _opened = { [Symbol.asyncDispose]: () => opening.then((store) => store.close()).catch(() => {}) };
  const needs = { ...given, mirror: () => opening };
  // The checks that need it report that it cannot be opened.
  opening.catch(() => {});
  const found: HealthCheck[] = [];
  let isStoreDown = false;
  for (const [name, check] of Object.entries(checks)) {
    let report = new Report();
    try {
      await check(needs, report);
    } catch (error) {
      report = new Report();
      const needsStore = error instanceof SlotstreamError && error.code === 'store_unavailable';
      // The reason is reported once.
      if (needsStore && isStoreDown) report.notChecked(name, 'the store does not answer');
      else reportFailure(name, error, report);
      isStoreDown ||= needsStore;
    }
    found.push(...report.findings);
  }
  const { health } = await readStatus(needs);
  return [...found, ...health.filter((check) => !found.some((own) => covers(own, check)))];
}

const ranks = ['ok', 'warning', 'problem'];

/** What was tried here needs no report of another process that says the same. */
const covers = (own: HealthCheck, check: HealthCheck): boolean =>
  own.id === check.id && ranks.indexOf(own.state) >= ranks.indexOf(check.state);

function reportFailure(name: string, error: unknown, report: Report): void {
  // Before the first start there is no mirror, which is not a problem.
  if (error instanceof SlotstreamError)
    report[error.code === 'no_mirror' ? 'warning' : 'problem'](name, error.message, error.hint ?? 'See the log.');
  else
    report.problem(
      name,
      `cannot be checked (${codeOf(error)}).`,
      'Check that the address is right and answers; LOG_LEVEL=debug logs the details.',
    );
}
