// Asks who answers at the public URL: our receiver proves it with the signing key. No delivery is sent, and nothing is stored.
import { randomBytes, randomUUID } from 'node:crypto';
import { describeConnectFailure, rootCodeOf } from '#src/base/errors.ts';
import { duration } from '#src/base/number-text.ts';
import { userAgent } from '#src/base/user-agent.ts';
import { isProof, nonceHeader, selfTestBody, selfTestTitle } from '#src/signing/self-test.ts';
import { signDelivery, type SignatureScheme } from '#src/signing/signature.ts';

export interface ProbeInput {
  /** `PUBLIC_URL` + `/webhooks`. */
  readonly callback: string;
  readonly scheme: SignatureScheme;
  readonly headerName: string;
  /** One that receivers have. Undefined: the request is not signed, and no proof is expected. */
  readonly key: string | undefined;
  readonly nowMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export type ProbeResult =
  | { readonly kind: 'ours' }
  /** A receiver that verifies nothing (ALLOW_UNSIGNED), so it can prove nothing. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'nothing'; readonly why: string }
  /** `what` is a sentence without its full stop. */
  | { readonly kind: 'other'; readonly status: number | undefined; readonly what: string; readonly fix: string };

const usualTimeoutMs = 10_000;
/** The response of a receiver has about 130 bytes. */
const mostBytes = 4_096;

export async function probe(input: ProbeInput): Promise<ProbeResult> {
  const { callback, key, signal, timeoutMs = usualTimeoutMs } = input;
  const nonce = randomBytes(32).toString('base64url');
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([timeout, ...(signal ? [signal] : [])]);
  try {
    const response = await fetch(`${callback}?s=self-test`, {
      method: 'POST',
      headers: {
        'user-agent': userAgent,
        'content-type': 'application/json',
        [nonceHeader]: nonce,
        ...signatureOf(input),
      },
      body: selfTestBody,
      redirect: 'manual',
      signal: ending,
    });
    return judge(response, { body: await readStart(response), callback, key, nonce });
  } catch (error) {
    signal?.throwIfAborted();
    return timeout.aborted
      ? { kind: 'nothing', why: `no answer within ${duration(timeoutMs)}` }
      : failureOf(error, callback);
  }
}

function signatureOf({ scheme, headerName, key, nowMs }: ProbeInput): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  const atSeconds = Math.floor(nowMs / 1000);
  return signDelivery({ scheme, headerName, key, body: selfTestBody, atSeconds, id: `msg_${randomUUID()}` });
}

/** What follows is not read; a body that breaks off or does not end in time is no proof. */
async function readStart(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  try {
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) return undefined;
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

interface Answered {
  readonly body: unknown;
  readonly callback: string;
  readonly key: string | undefined;
  readonly nonce: string;
}

function judge({ status, headers }: Response, { body, callback, key, nonce }: Answered): ProbeResult {
  const { title, proof }: { title?: unknown; proof?: unknown } = Object(body);
  const other = (what: string, fix: string): ProbeResult => ({ kind: 'other', status, what, fix });
  if (status === 200 && title === selfTestTitle) {
    if (key !== undefined && isProof(proof, { key, nonce })) return { kind: 'ours' };
    if (proof === null) return { kind: 'unsigned' };
    if (proof === undefined) return other(...withoutProof);
  }
  if (status === 401 && title === 'Unauthorized') return other(...wrongKey);
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.get('location') ?? '', callback);
    const where = to === null ? '' : ` to ${`${to.origin}${to.pathname}`.slice(0, 200)}`;
    return other(
      `this is not the receiver: it redirects (${status})${where}`,
      'Redirects are not followed: set PUBLIC_URL to the address of the receiver itself.',
    );
  }
  if ([502, 503, 504].includes(status))
    return other(`no receiver answers behind it (${status})`, `Start the receiver. ${forwardUnchanged}`);
  return other(
    `this is not the receiver: it answers ${status} and does not prove that it has the signing key`,
    `Check the spelling of PUBLIC_URL. ${forwardUnchanged}`,
  );
}

const forwardUnchanged =
  'Make the proxy forward POST /webhooks unchanged to PORT of the receiver: method, body, query and headers.';

const withoutProof = [
  'a receiver of an older version answers, or a proxy removes the header Slotstream-Nonce',
  `Upgrade the receivers first. ${forwardUnchanged}`,
] as const;

const wrongKey = [
  'the receiver rejects our signing key, or its clock is wrong',
  'Give every receiver and this machine the same SIGNING_KEYS (or DATA_DIR), and synchronize all clocks with NTP.',
] as const;

const unreachable =
  /^(ENOTFOUND|EAI_\w+|ECONN\w+|EHOST\w+|ENET\w+|ETIMEDOUT|EPIPE|EACCES|EPERM|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|SOCKET))$/;
const ofCertificate = /CERT|^UNABLE_TO|SELF_SIGNED|^HOSTNAME_MISMATCH|^INVALID_(CA|PURPOSE)/;

const named: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  ECONNREFUSED: 'connection refused',
};

/** What answers and cannot be understood is someone: only a failure to reach anyone is `nothing`. */
function failureOf(error: unknown, callback: string): ProbeResult {
  const code = rootCodeOf(error);
  const why = named[code] ?? describeConnectFailure(error);
  const isBadPort = why === 'HTTP clients do not use this port';
  if (isBadPort || unreachable.test(code)) return { kind: 'nothing', why };
  if (ofCertificate.test(code))
    return {
      kind: 'other',
      status: undefined,
      what: `its certificate is not valid for this address (${code})`,
      fix: 'Check the spelling of PUBLIC_URL, and give the proxy a certificate of a public authority for its name. If your network replaces certificates, name its authority: NODE_EXTRA_CA_CERTS=/path/ca.pem',
    };
  return {
    kind: 'other',
    status: undefined,
    what: `what answers there is no ${callback.split(':', 1)[0]} server (${code})`,
    fix: 'Check the scheme and the port of PUBLIC_URL.',
  };
}
