// Verifies and creates webhook signatures over the raw body, in two schemes. Pure: keys and time are arguments. The service's own
// scheme is not in its specification (assumption A2), so it is configurable.
import { hash, timingSafeEqual } from 'node:crypto';

export const signatureSchemes = ['timestamped', 'standard-webhooks'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** `stale_signed`: correctly signed, but outside the tolerance. The cause is a clock or a slow retry, not an attack. */
export type SignatureRefusal = 'missing' | 'malformed' | 'wrong' | 'stale' | 'stale_signed';
export type SignatureVerdict =
  | { readonly ok: true; readonly keyId: string }
  | { readonly ok: false; readonly refusal: SignatureRefusal };

/** Returns every value sent under a lower-case header name, not joined: two values are a forgery or an error. */
export type HeaderLookup = (name: string) => readonly string[];

export interface SignedRequest {
  readonly scheme: SignatureScheme;
  /** The header of the `timestamped` scheme; Standard Webhooks defines its own headers. */
  readonly headerName: string;
  readonly headers: HeaderLookup;
  readonly body: Uint8Array;
  readonly keys: readonly string[];
  /** Both directions; 0 = no age check. */
  readonly toleranceSeconds: number;
  readonly nowSeconds: number;
}

export interface DeliveryToSign {
  readonly scheme: SignatureScheme;
  readonly headerName: string;
  readonly key: string;
  readonly body: Uint8Array;
  readonly atSeconds: number;
  /** Only Standard Webhooks sends it. */
  readonly id: string;
}

interface Claim {
  readonly seconds: number;
  /** The signed text before the body. */
  readonly prefix: string;
  /** In lower-case hexadecimal. */
  readonly candidates: readonly string[];
}

const blockBytes = 64;
const longestHeader = 1024;
const mostCandidates = 5;
const plainDigits = /^[0-9]{1,12}$/;
const hexMac = /^[0-9a-f]{64}$/;
const base64Mac = /^[A-Za-z0-9+/]{43}=$/;
/** No dot: id, time and body are joined by dots, and a dot in the id would make that ambiguous. */
const messageId = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;

export function verifySignature(request: SignedRequest): SignatureVerdict {
  const claim = request.scheme === 'timestamped' ? readTimestamped(request) : readStandard(request);
  if (typeof claim === 'string') return { ok: false, refusal: claim };
  const age = Math.abs(request.nowSeconds - claim.seconds);
  // Written so that what is no number is stale.
  const stale = request.toleranceSeconds !== 0 && !(age <= request.toleranceSeconds);
  for (const key of request.keys) {
    const ready = readyKey(request.scheme, key);
    const expected = macOf(ready, claim.prefix, request.body);
    if (!claim.candidates.some((candidate) => sameMac(candidate, expected))) continue;
    return stale ? { ok: false, refusal: 'stale_signed' } : { ok: true, keyId: ready.id };
  }
  return { ok: false, refusal: stale ? 'stale' : 'wrong' };
}

export function signDelivery(delivery: DeliveryToSign): Record<string, string> {
  const time = String(delivery.atSeconds);
  const ready = readyKey(delivery.scheme, delivery.key);
  if (delivery.scheme === 'timestamped') {
    const mac = macOf(ready, `${time}.`, delivery.body);
    return { [delivery.headerName]: `t=${time},v1=${mac}` };
  }
  const mac = macOf(ready, `${delivery.id}.${time}.`, delivery.body);
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${Buffer.from(mac, 'hex').toString('base64')}`,
  };
}

/** Identifies a key in metrics without revealing it. */
export function keyIdOf(key: string): string {
  return hash('sha256', `slotstream key id:${key}`).slice(0, 8);
}

/** `t=<unix seconds>,v1=<64 lower-case hex>`; spaces and unknown keys are tolerated, nothing else is (A2). */
function readTimestamped({ headers, headerName }: SignedRequest): Claim | 'missing' | 'malformed' {
  const header = onlyValue(headers(headerName.toLowerCase()));
  if (header === undefined) return 'missing';
  let time: string | undefined;
  const candidates: string[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    if (equals < 0) return 'malformed';
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (time !== undefined || !plainDigits.test(value)) return 'malformed';
      time = value;
    } else if (name === 'v1') {
      if (!hexMac.test(value) || candidates.length === mostCandidates) return 'malformed';
      candidates.push(value);
    }
  }
  if (time === undefined || candidates.length === 0) return 'malformed';
  return { seconds: Number(time), prefix: `${time}.`, candidates };
}

/** Standard Webhooks: `webhook-signature` is a list `v1,<base64>` separated by spaces; other versions are ignored. */
function readStandard({ headers }: SignedRequest): Claim | 'missing' | 'malformed' {
  const id = onlyValue(headers('webhook-id'));
  const time = onlyValue(headers('webhook-timestamp'));
  const list = onlyValue(headers('webhook-signature'));
  if (id === undefined || time === undefined || list === undefined) return 'missing';
  if (!messageId.test(id) || !plainDigits.test(time)) return 'malformed';
  const candidates: string[] = [];
  for (const part of list.split(' ')) {
    if (!part.startsWith('v1,')) continue;
    const value = part.slice(3);
    if (!base64Mac.test(value) || candidates.length === mostCandidates) return 'malformed';
    candidates.push(Buffer.from(value, 'base64').toString('hex'));
  }
  if (candidates.length === 0) return 'malformed';
  return { seconds: Number(time), prefix: `${id}.${time}.`, candidates };
}

/** Empty, which is malformed in both schemes, when there are two values or it is too long. */
function onlyValue(values: readonly string[]): string | undefined {
  const [value] = values;
  return values.length > 1 || (value !== undefined && value.length > longestHeader) ? '' : value;
}

/** A prepared key: the HMAC pads before the message and before its hash. */
interface ReadyKey {
  readonly id: string;
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const readyKeys = { timestamped: new Map<string, ReadyKey>(), 'standard-webhooks': new Map<string, ReadyKey>() };
const mostReadyKeys = 50;

/** Cached, because every delivery needs the same few keys. */
function readyKey(scheme: SignatureScheme, key: string): ReadyKey {
  const known = readyKeys[scheme];
  const found = known.get(key);
  if (found) return found;
  const encoded = scheme === 'standard-webhooks' && key.startsWith('whsec_');
  const secret = encoded ? Buffer.from(key.slice('whsec_'.length), 'base64') : Buffer.from(key);
  const block = Buffer.alloc(blockBytes);
  block.set(secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret);
  const ready = { id: keyIdOf(key), inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
  if (known.size >= mostReadyKeys) known.clear();
  known.set(key, ready);
  return ready;
}

/** Used again for every message, so that nothing is allocated. */
const message = Buffer.allocUnsafeSlow(64 * 1024);
const outerMessage = Buffer.allocUnsafeSlow(blockBytes + 32);

/**
 * HMAC-SHA256 (RFC 2104) in hexadecimal from one-shot hashes, proven against `createHmac` in the tests. Node's Hmac objects and
 * digests in buffers hold native memory that the garbage collector has to track: they cost twice the time.
 */
function macOf({ inner, outer }: ReadyKey, prefix: string, body: Uint8Array): string {
  outerMessage.set(outer);
  outerMessage.write(hash('sha256', innerMessage(inner, prefix, body), 'binary'), blockBytes, 'latin1');
  return hash('sha256', outerMessage, 'hex');
}

function innerMessage(inner: Uint8Array, prefix: string, body: Uint8Array): Uint8Array {
  const mostBytes = blockBytes + 3 * prefix.length + body.length;
  if (mostBytes > message.length) return Buffer.concat([inner, Buffer.from(prefix), body]);
  message.set(inner);
  const start = blockBytes + message.write(prefix, blockBytes);
  message.set(body, start);
  return message.subarray(0, start + body.length);
}

const candidateBytes = Buffer.alloc(64);
const expectedBytes = Buffer.alloc(64);

/** In constant time. Both have 64 hexadecimal digits. */
function sameMac(candidate: string, expected: string): boolean {
  candidateBytes.write(candidate);
  expectedBytes.write(expected);
  return timingSafeEqual(candidateBytes, expectedBytes);
}
