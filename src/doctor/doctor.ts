// Runs the checks of `doctor`. A check that fails does not hide the others.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { checkAdminUrl } from './admin-url.ts';
import { checkAlerts } from './alerts.ts';
import { Report, type Check, type CheckNeeds, type Finding } from './check.ts';
import { checkDrift } from './drift.ts';
import { checkQueue, checkStore } from './engines.ts';
import { checkDataFolder, checkDisk, checkEnvFile, checkKeys, checkSegments, checkSettings } from './local.ts';
import { checkProcess } from './process.ts';
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
  process: checkProcess,
  queue: checkQueue,
  store: checkStore,
  disk: checkDisk,
  'spool and journal': checkSegments,
  service: checkService,
  'public URL': checkPublicUrl,
  subscriptions: checkSubscriptions,
  drift: checkDrift,
  alerts: checkAlerts,
  'admin URL': checkAdminUrl,
  feed: checkSinks,
};

export async function examine(needs: CheckNeeds): Promise<readonly Finding[]> {
  const found: Finding[] = [];
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
  return found;
}

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
