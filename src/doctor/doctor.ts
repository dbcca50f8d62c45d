// The checks of `doctor`, each by itself: one that fails never hides the others.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { checkAlerts } from './alerts.ts';
import type { Check, Patient } from './check.ts';
import { checkDisk, checkSpool } from './disk.ts';
import { checkDrift } from './drift.ts';
import { doubtful, ill, type Finding } from './finding.ts';
import { checkKeys } from './keys.ts';
import { checkProcess } from './process.ts';
import { checkPublicUrl } from './public-url.ts';
import { checkQueue } from './queue.ts';
import { checkService } from './service.ts';
import { checkStore } from './store.ts';
import { checkSubscriptions } from './subscriptions.ts';

/** From the inside out: what is near is needed by what is far. */
const checks: Readonly<Record<string, Check>> = {
  'signing key': checkKeys,
  process: checkProcess,
  queue: checkQueue,
  store: checkStore,
  disk: checkDisk,
  spool: checkSpool,
  service: checkService,
  'public URL': checkPublicUrl,
  subscriptions: checkSubscriptions,
  drift: checkDrift,
  alerts: checkAlerts,
};

export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    found.push(...(await check(patient).catch((error: unknown) => [failed(name, error)])));
  }
  return found;
}

function failed(name: string, error: unknown): Finding {
  // Before the first start there is none, which is no illness.
  if (error instanceof SlotstreamError)
    return (error.code === 'no_mirror' ? doubtful : ill)(name, error.message, error.hint ?? 'See the log.');
  return ill(
    name,
    `cannot be checked (${codeOf(error)}).`,
    `Is the address right, and does it answer? LOG_LEVEL=debug tells more.`,
  );
}
