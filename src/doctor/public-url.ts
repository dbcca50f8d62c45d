// Checks the public URL: it leads to our receiver, which rejects unsigned deliveries and accepts our key.
import { randomUUID } from 'node:crypto';
import type { Config } from '#src/config/load.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import { selfTestBody, selfTestTitle } from '#src/receiver/health.ts';
import { signDelivery } from '#src/signing/signature.ts';
import type { Check, Report } from './check.ts';

const name = 'public URL';
const timeoutMs = 10_000;

export const checkPublicUrl: Check = async ({ config, now }, report) => {
  const { publicUrl } = config;
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
  const url = `${publicUrl}/webhooks?s=doctor`;
  if (key !== undefined) await selfTest(config, { url, key, now: now() }, report);
};

/** Sends two test requests that are not stored: one unsigned, which must be rejected, and one signed, which must be accepted. */
async function selfTest(
  { signing }: Config,
  { url, key, now }: { readonly url: string; readonly key: string; readonly now: Date },
  report: Report,
): Promise<void> {
  const post = (headers: Record<string, string>) =>
    request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: selfTestBody });
  const signature = signDelivery({
    scheme: signing.scheme,
    headerName: signing.header,
    key,
    body: selfTestBody,
    atSeconds: Math.floor(now.getTime() / 1000),
    id: `msg_${randomUUID()}`,
  });
  const signed = await post(signature);
  const unsigned = await post({});
  if (signed?.status === 401)
    return report.problem(
      name,
      'the receiver rejects our signing key, or its clock is wrong.',
      'Give the receiver and this machine the same SIGNING_KEYS (or DATA_DIR), and synchronize both clocks with NTP.',
    );
  if (signed?.status !== 200 || signed.title !== selfTestTitle)
    return report.problem(
      name,
      `a signed delivery is answered ${signed?.status ?? 'not at all'}: something between the URL and the receiver changes or blocks requests.`,
      'Make the proxy forward POST /webhooks unchanged: method, body, query and headers.',
    );
  if (unsigned?.status !== 401 && !signing.allowUnsigned)
    return report.problem(
      name,
      'an unsigned delivery is not rejected.',
      'Remove ALLOW_UNSIGNED from the receiver and restart it.',
    );
  return report.ok(name, 'reaches this receiver, and the signing key matches.');
}

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
