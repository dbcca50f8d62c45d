// Checks the public URL: it leads to our receiver, which rejects unsigned deliveries and accepts our key.
import { duration } from '#src/base/number-text.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import type { Config } from '#src/config/load.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import { callbackOf } from '#src/subscriptions/from-config.ts';
import { probe } from '#src/subscriptions/probe.ts';
import type { CheckNeeds, Report } from './check.ts';

const name = 'public URL';
const timeoutMs = 10_000;

export async function checkPublicUrl(
  { config, now }: Pick<CheckNeeds, 'config' | 'now'>,
  report: Report,
): Promise<void> {
  const { publicUrl } = config;
  const pollMs = pollPeriodMs(config);
  if (pollMs !== undefined)
    return report.ok(
      name,
      `PUBLIC_URL is not set, so the service is read every ${duration(pollMs)}. You do not see what changes and changes back in between, and when. Later than the rest come: recaps, form submissions and marks on meetings of the day before (${duration(config.reconcileEveryMs)}), deleted contacts (${duration(config.sweepEveryMs)}).`,
    );
  if (publicUrl === undefined)
    return report.warning(
      name,
      'PUBLIC_URL is not set: bootstrap cannot tell the service where to deliver.',
      'Set PUBLIC_URL to the URL at which the service reaches the receiver, without /webhooks.',
    );
  const { allowUnsigned, keys } = config.signing;
  const [key] = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned }).keysAt(now().getTime());
  return selfTest(config, { publicUrl, key, now }, report);
}

/** How often it is asked at the same time, over as many connections: a proxy leads to every receiver behind it. */
const asked = 8;

/**
 * Sends test requests that are not stored: several signed, which must be answered with a proof, and one unsigned, which must be rejected.
 * A receiver that cannot take deliveries answers these all the same, so it is asked that too.
 */
async function selfTest(
  config: Config,
  { publicUrl, key, now }: { readonly publicUrl: string; readonly key: string | undefined; readonly now: () => Date },
  report: Report,
): Promise<void> {
  const { scheme, header: headerName, allowUnsigned } = config.signing;
  const probeWith = (one: string | undefined) =>
    probe({ callback: callbackOf(config), scheme, headerName, key: one, nowMs: now().getTime() });
  const signed = await severalTimes(() => probeWith(key));
  const unanswered = signed.filter(({ kind }) => kind === 'nothing');
  const [silent] = unanswered;
  if (silent?.kind === 'nothing')
    return report.problem(
      name,
      `${often(unanswered)}nothing answers at ${publicUrl} (${silent.why}).`,
      'Start a receiver, and check the proxy, DNS and firewall in front of it.',
    );
  const others = signed.filter(({ kind }) => kind === 'other');
  const [first] = others;
  if (first?.kind === 'other') return report.problem(name, `${often(others)}${first.what}.`, first.fix);
  const unverified = signed.filter(({ kind }) => kind === 'unsigned');
  if (unverified.length > 0 && allowUnsigned)
    return report.warning(
      name,
      `${often(unverified)}a receiver answers that verifies nothing (ALLOW_UNSIGNED), so it cannot prove that it is yours.`,
      'Give it a signing key.',
    );
  const unsigned = await probeWith(undefined);
  if (!allowUnsigned && (unverified.length > 0 || !(unsigned.kind === 'other' && unsigned.status === 401)))
    return report.problem(
      name,
      `${often(unverified.length > 0 ? unverified : signed)}an unsigned delivery is not rejected.`,
      'Remove ALLOW_UNSIGNED from the receiver and restart it.',
    );
  const ready = await severalTimes(() => statusOf(`${publicUrl}/readyz`));
  // A proxy that does not pass the path on answers otherwise.
  const unready = ready.filter((status) => status === 503);
  if (unready.length > 0)
    return report.problem(
      name,
      `${often(unready)}a receiver that takes no deliveries answers.`,
      'Ask /readyz of every receiver: it names what is down. Its log says why; often its disk is almost full.',
    );
  return report.ok(name, 'reaches this receiver, and the signing key matches.');
}

const severalTimes = <Answer>(ask: () => Promise<Answer>): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: asked }, ask));

const often = ({ length }: readonly unknown[]): string => (length === asked ? '' : `${length} of ${asked} times `);

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const { status, body } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    await body?.cancel();
    return status;
  } catch {
    return undefined;
  }
}
