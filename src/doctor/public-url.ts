// Checks the public URL: it leads to our receiver, which rejects unsigned deliveries and accepts our key.
import { randomUUID } from 'node:crypto';
import { duration } from '#src/base/number-text.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import type { Config } from '#src/config/load.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import { selfTestBody, selfTestTitle } from '#src/receiver/health.ts';
import { signDelivery } from '#src/signing/signature.ts';
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
  const health = await request(`${publicUrl}/healthz`, { method: 'GET' });
  if (health === undefined)
    return report.problem(
      name,
      `nothing answers at ${publicUrl}.`,
      'Start a receiver, and check the proxy, DNS and firewall in front of it.',
    );
  if (health.status !== 200)
    return report.problem(
      name,
      `${publicUrl}/healthz answers ${health.status}: this is not the receiver.`,
      'Make the proxy forward to PORT of the receiver.',
    );
  const { allowUnsigned, keys } = config.signing;
  const [key] = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned }).keysAt(now().getTime());
  if (key !== undefined) await selfTest(config, { publicUrl, key, now: now() }, report);
}

/** How often it is asked at the same time, over as many connections: a proxy leads to every receiver behind it. */
const asked = 8;

/**
 * Sends test requests that are not stored: one unsigned, which must be rejected, and several signed, which must be accepted. A receiver that
 * cannot take deliveries accepts these all the same, so it is asked that too.
 */
async function selfTest(
  { signing }: Config,
  { publicUrl, key, now }: { readonly publicUrl: string; readonly key: string; readonly now: Date },
  report: Report,
): Promise<void> {
  const url = `${publicUrl}/webhooks?s=doctor`;
  const post = (headers: Record<string, string>) =>
    request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: selfTestBody });
  const signature = () =>
    signDelivery({
      scheme: signing.scheme,
      headerName: signing.header,
      key,
      body: selfTestBody,
      atSeconds: Math.floor(now.getTime() / 1000),
      id: `msg_${randomUUID()}`,
    });
  const signed = await severalTimes(() => post(signature()));
  const unsigned = await post({});
  const ready = await severalTimes(() => request(`${publicUrl}/readyz`, { method: 'GET' }));
  const rejected = signed.filter((answer) => answer?.status === 401);
  if (rejected.length > 0)
    return report.problem(
      name,
      `${often(rejected)}the receiver rejects our signing key, or its clock is wrong.`,
      'Give every receiver and this machine the same SIGNING_KEYS (or DATA_DIR), and synchronize all clocks with NTP.',
    );
  const changed = signed.filter((answer) => answer?.status !== 200 || answer.title !== selfTestTitle);
  if (changed.length > 0)
    return report.problem(
      name,
      `${often(changed)}a signed delivery is answered ${changed[0]?.status ?? 'not at all'}: something between the URL and the receiver changes or blocks requests.`,
      'Make the proxy forward POST /webhooks unchanged: method, body, query and headers.',
    );
  if (unsigned?.status !== 401 && !signing.allowUnsigned)
    return report.problem(
      name,
      'an unsigned delivery is not rejected.',
      'Remove ALLOW_UNSIGNED from the receiver and restart it.',
    );
  // A proxy that does not pass the path on answers otherwise.
  const unready = ready.filter((answer) => answer?.status === 503);
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

async function request(url: string, init: RequestInit): Promise<{ status: number; title: unknown } | undefined> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    const body: unknown = await answer.json().catch(() => undefined);
    const title = typeof body === 'object' && body !== null && 'title' in body ? body.title : undefined;
    return { status: answer.status, title };
  } catch {
    return undefined;
  }
}
