// The public address: leads to a receiver of ours, which refuses what is unsigned and accepts our key.
import { randomUUID } from 'node:crypto';
import type { Config } from '#src/config/load.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import { selfTestBody, selfTestTitle } from '#src/receiver/responses.ts';
import { signDelivery } from '#src/signing/signature.ts';
import type { Check } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';

const name = 'public URL';
const patienceMs = 10_000;

export const checkPublicUrl: Check = async ({ config, now }) => {
  const { publicUrl } = config;
  if (publicUrl === undefined)
    return [
      doubtful(
        name,
        'PUBLIC_URL is not set: the service cannot be told where to deliver.',
        'Set PUBLIC_URL to the address at which the service reaches the receiver, without /webhooks.',
      ),
    ];
  const health = await ask(`${publicUrl}/healthz`, { method: 'GET' });
  if (health === undefined)
    return [
      ill(
        name,
        `nothing answers at ${publicUrl}.`,
        'Start a receiver, and check the proxy, DNS and firewall before it.',
      ),
    ];
  if (health.status !== 200)
    return [
      ill(
        name,
        `${publicUrl}/healthz answers ${health.status}: this is not the receiver.`,
        'Point the proxy at PORT of the receiver.',
      ),
    ];
  const { allowUnsigned, keys } = config.signing;
  const [key] = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned }).keysAt(now().getTime());
  return key === undefined ? [] : selfTest(config, { url: `${publicUrl}/webhooks?s=doctor`, key, now: now() });
};

/** Two requests that leave no trace: one unsigned, which must be refused, and one signed, which must not. */
async function selfTest(
  { signing }: Config,
  { url, key, now }: { readonly url: string; readonly key: string; readonly now: Date },
): Promise<readonly Finding[]> {
  const post = (headers: Record<string, string>) =>
    ask(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: selfTestBody });
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
    return [
      ill(
        name,
        'the receiver refuses our signing key, or its clock is wrong.',
        'Give the receiver and this machine the same SIGNING_KEYS (or DATA_DIR), and set both clocks by NTP.',
      ),
    ];
  if (signed?.status !== 200 || signed.title !== selfTestTitle)
    return [
      ill(
        name,
        `a signed delivery is answered ${signed?.status ?? 'not at all'}: something stands between the address and the receiver.`,
        'Let POST /webhooks through unchanged: method, body, query and headers.',
      ),
    ];
  if (unsigned?.status !== 401 && !signing.allowUnsigned)
    return [
      ill(name, 'an unsigned delivery is not refused.', 'Remove ALLOW_UNSIGNED from the receiver and start it again.'),
    ];
  return [well(name, 'leads to a receiver that verifies with our key.')];
}

async function ask(url: string, init: RequestInit): Promise<{ status: number; title: unknown } | undefined> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
    const body: unknown = await answer.json().catch(() => undefined);
    const title = typeof body === 'object' && body !== null && 'title' in body ? body.title : undefined;
    return { status: answer.status, title };
  } catch {
    return undefined;
  }
}
