// Checks that links in alerts open a page: ADMIN_URL leads to a process that has the tables.
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import { describeConnectFailure } from '#src/base/errors.ts';
import type { Check } from './check.ts';

const name = 'admin URL';
const timeoutMs = 10_000;

const readiness = z.looseObject({ engines: z.record(z.string(), z.unknown()) });

export const checkAdminUrl: Check = async ({ config: { alerts } }, report) => {
  if (alerts.adminUrl === undefined) return;
  const warning = await adminUrlWarning(alerts.adminUrl);
  if (warning) report.warning(name, warning.message, warning.fix);
  else report.ok(name, `links in alerts lead to ${alerts.adminUrl}.`);
};

/** Why links lead nowhere; undefined where they work, or nothing can be said about it. */
export async function adminUrlWarning(
  adminUrl: string | undefined,
): Promise<{ readonly message: string; readonly fix: string } | undefined> {
  if (adminUrl === undefined) return undefined;
  const fix = `Set ADMIN_URL to the admin listener of a worker, and give every process an ADMIN_PORT of its own: ${slotstream} status lists them.`;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${adminUrl}/readyz`, { redirect: 'manual', signal });
    const { data } = readiness.safeParse(await answer.json().catch(() => undefined));
    if (data && !('store' in data.engines))
      return { message: `Links in alerts lead to ${adminUrl}, a process that only receives and has no pages.`, fix };
    // A proxy in front may ask for a login of its own.
    if (data || /^(3..|401|403)$/.test(String(answer.status))) return undefined;
    return { message: `Links in alerts lead to ${adminUrl}, which is not Slotstream (${answer.status}).`, fix };
  } catch (error) {
    const message = `Links in alerts lead to ${adminUrl}, which does not answer this machine (${describeConnectFailure(error)}).`;
    return { message, fix };
  }
}
