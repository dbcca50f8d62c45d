// `slotstream/webhooks`: verifies and reads deliveries in another program. It has no state, opens no file, and runs on Node 20, Bun, Deno
// and edge runtimes that have `node:crypto`.
import { readDelivery } from '#schemas/delivery.ts';
import type { EventKind, PayloadOf } from '#schemas/events.ts';
import { joinedValues, rawHeaderValues } from '#src/signing/header-values.ts';
import { weakKeyIn } from '#src/signing/weak-key.ts';
import { signDelivery, verifySignature, type HeaderLookup } from '#src/signing/signature.ts';
import { asStream, bytesOf, headerLookup, readUpTo } from './request-parts.ts';

/** How deliveries are signed; the defaults are those of the service. */
export interface SignatureOptions {
  readonly scheme?: 'timestamped' | 'standard-webhooks';
  /** The header of the `timestamped` scheme. Default: `Calendly-Webhook-Signature`. */
  readonly header?: string;
}

export interface VerificationOptions extends SignatureOptions {
  /** All of them verify: during a rotation, the new key and the previous one. */
  readonly keys: readonly string[];
  /** In both directions. Default: 300. 0: the age is not checked. */
  readonly toleranceSeconds?: number;
}

export interface WebhookInput extends VerificationOptions {
  /** As it arrived: parsed JSON cannot be verified. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** Of a web request, or of Node's (`req.headers`). */
  readonly headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Default: the time of the machine. */
  readonly now?: Date;
}

/** `stale_signed`: correctly signed, but outside the tolerance. The cause is a clock or a slow retry, not an attack. */
export type Refusal = 'missing' | 'malformed' | 'wrong' | 'stale' | 'stale_signed';

/** A verified delivery of a kind that this version knows. */
export interface Webhook<Kind extends EventKind = EventKind> {
  readonly ok: true;
  readonly known: true;
  /** The same for every attempt to deliver the same fact, also to two subscriptions. */
  readonly id: string;
  readonly event: Kind;
  /** The same as `event`. */
  readonly name: Kind;
  /** UTC with six fractional digits, as every time in the payload. */
  readonly createdAt: string;
  readonly payload: PayloadOf<Kind>;
  /** Names values that were set aside because they are not as specified. */
  readonly notes: readonly string[];
}

/** A verified delivery of another kind, or one that cannot be read. Answer it as any other: sending it again would not help. */
export interface UnknownWebhook {
  readonly ok: true;
  readonly known: false;
  readonly id: string;
  readonly event: null;
  /** The kind that it names. */
  readonly name: string | null;
  /** Why a delivery of a known kind cannot be read; null for an unknown kind. */
  readonly problem: string | null;
}

export interface RefusedWebhook {
  readonly ok: false;
  readonly known: false;
  readonly event: null;
  readonly name: null;
  readonly refusal: Refusal;
}

export type WebhookResult = { [Kind in EventKind]: Webhook<Kind> }[EventKind] | UnknownWebhook | RefusedWebhook;

const defaultHeader = 'Calendly-Webhook-Signature';
/** A byte order mark is a part of the text, as the mirror reads it. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Verifies the signature over the exact bytes, then reads them. Nothing unverified is parsed. */
export function readWebhook(input: WebhookInput): WebhookResult {
  return readVerified(input, headerLookup(input.headers));
}

function readVerified(input: Omit<WebhookInput, 'headers'>, headers: HeaderLookup): WebhookResult {
  const { scheme = 'timestamped', header = defaultHeader, now = new Date() } = input;
  const body = bytesOf(input.body);
  const verdict = verifySignature({
    scheme,
    headerName: header,
    headers,
    body,
    keys: checkedKeys(input.keys),
    toleranceSeconds: checkedTolerance(input),
    nowSeconds: checkedSeconds(now),
  });
  if (!verdict.ok) return { ok: false, known: false, event: null, name: null, refusal: verdict.refusal };
  const read = readDelivery(utf8.decode(body));
  const id = read.deliveryId;
  if (read.state === 'known') {
    const { event, createdAt, payload, notes } = read;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- event and payload are of one delivery, which the compiler cannot follow
    return { ok: true, known: true, id, event, name: event, createdAt, payload, notes } as WebhookResult;
  }
  const problem = read.state === 'malformed' ? read.reason : null;
  return { ok: true, known: false, id, event: null, name: read.event, problem };
}

export interface WebhookToSign extends SignatureOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly key: string;
  /** In seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Only Standard Webhooks sends it. */
  readonly id?: string;
}

/** The headers of a genuine delivery, for tests. */
export function signWebhook(webhook: WebhookToSign): Record<string, string> {
  const { scheme = 'timestamped', header = defaultHeader, id = 'msg_1', timestamp } = webhook;
  const [key = ''] = checkedKeys([webhook.key]);
  const atSeconds = timestamp ?? Math.floor(Date.now() / 1000);
  return signDelivery({ scheme, headerName: header, key, body: bytesOf(webhook.body), atSeconds, id });
}

export interface WebhooksOptions extends VerificationOptions {
  /** Larger bodies get 413. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Where an error of a handler is reported. The delivery gets 500, so that it is sent again. Default: `console.error`. */
  readonly onError?: (error: unknown, webhook: Webhook) => void;
}

/** The part of Node's request that is read; those of Express and Fastify (`request.raw`) have it. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly readableDidRead?: boolean;
  /** Where `express.raw()` put it. */
  readonly body?: unknown;
}

export interface NodeResponse {
  writeHead(status: number): unknown;
  end(): unknown;
}

type Handler = (webhook: Webhook) => unknown;

interface RequestParts {
  readonly method: string | undefined;
  readonly headers: HeaderLookup;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Calls your functions for verified deliveries: 200 once all of them have ended, 500 when one fails. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #maxBodyBytes: number;
  readonly #handlers = new Map<string, Handler[]>();

  constructor(options: WebhooksOptions) {
    checkedKeys(options.keys);
    checkedTolerance(options);
    this.#maxBodyBytes = checkedLimit(options);
    this.#options = options;
  }

  /** The handlers of a kind run one after the other. A delivery can arrive twice: use its `id`. */
  on<Kind extends EventKind>(event: Kind | readonly Kind[], handler: (webhook: Webhook<Kind>) => unknown): this {
    const names: readonly Kind[] = typeof event === 'string' ? [event] : event;
    for (const name of names) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only called with the kinds of its names
      this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler as Handler]);
    }
    return this;
  }

  /** For Hono, Next, Bun, Deno and others with web requests. */
  async fetch(request: Request): Promise<Response> {
    if (request.bodyUsed) throw new TypeError('the body was read before: signatures are over the bytes that arrived');
    const headers: HeaderLookup = (name) => joinedValues(request.headers.get(name));
    const status = await this.#answer({ method: request.method, headers, body: request.body });
    return new Response(null, { status });
  }

  /** For Express, and for Fastify with `request.raw` and `reply.raw`. Mount it before what parses JSON. */
  async node(request: NodeRequest, response: NodeResponse): Promise<void> {
    const { method, body } = request;
    const isRaw = body instanceof Uint8Array || typeof body === 'string';
    if (!isRaw && request.readableDidRead === true)
      throw new TypeError('the body was parsed before: mount webhooks before express.json(), or behind express.raw()');
    const bytes = isRaw ? asStream(bytesOf(body)) : request;
    response.writeHead(await this.#answer({ method, headers: rawHeaderValues(request.rawHeaders), body: bytes }));
    response.end();
  }

  async #answer({ method, headers, body }: RequestParts): Promise<number> {
    if (method !== 'POST') return 405;
    if (headers('content-encoding').some((encoding) => encoding.toLowerCase() !== 'identity')) return 415;
    const { onError = reportToConsole } = this.#options;
    if (headers('content-length').some((length) => Number(length) > this.#maxBodyBytes)) return 413;
    const bytes = await readUpTo(body, this.#maxBodyBytes);
    if (bytes === undefined) return 413;
    const webhook = readVerified({ ...this.#options, body: bytes }, headers);
    if (!webhook.ok) return 401;
    if (!webhook.known) return 200;
    try {
      for (const handle of this.#handlers.get(webhook.event) ?? []) await handle(webhook);
      return 200;
    } catch (error) {
      onError(error, webhook);
      return 500;
    }
  }
}

// oxlint-disable-next-line no-console -- a program that gives no function of its own must see the error
const reportToConsole = (error: unknown): void => console.error(error);

/** A missing key must not let everything in, or nothing: it is a mistake of the program. */
function checkedKeys(keys: readonly string[]): readonly string[] {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((key) => typeof key === 'string' && key.trim() !== ''))
    throw new TypeError('keys must be a list of signing keys, none of them blank: is the variable set?');
  const weak = weakKeyIn(keys);
  if (weak) throw new TypeError(`a signing key ${weak.problem}. ${weak.hint}`);
  return keys;
}

/** What is no number would turn the check off, in silence. */
function checkedTolerance({ toleranceSeconds = 300 }: Pick<VerificationOptions, 'toleranceSeconds'>): number {
  if (Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0) return toleranceSeconds;
  throw new TypeError('toleranceSeconds must be a number of seconds, 0 or more: is the variable set?');
}

function checkedLimit({ maxBodyBytes = 1024 ** 2 }: Pick<WebhooksOptions, 'maxBodyBytes'>): number {
  if (Number.isFinite(maxBodyBytes) && maxBodyBytes > 0) return maxBodyBytes;
  throw new TypeError('maxBodyBytes must be a number of bytes, more than 0: is the variable set?');
}

function checkedSeconds(now: Date): number {
  const ms = now instanceof Date ? now.getTime() : NaN;
  if (Number.isNaN(ms)) throw new TypeError('now must be a valid date');
  return Math.floor(ms / 1000);
}
