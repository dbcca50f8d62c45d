// `slotstream/sandbox`: the scheduling service in your own process, for tests.
import { openSandbox } from '#src/sandbox/sandbox.ts';

export interface SandboxOptions {
  /** The same seed makes the same data. Default: 1. */
  readonly seed?: number;
  /** Answers and webhooks as in the specification, or as at the public service. Default: `specification`. */
  readonly as?: 'specification' | 'public';
  /** Default: any free port. */
  readonly port?: number;
  readonly contacts?: number;
  readonly bookings?: number;
  /** The share of these bookings that began with a routing form, from 0 to 1. Default: 0. */
  readonly routed?: number;
  /** Accepts subscriptions to `event_type.*` too. */
  readonly eventTypes?: boolean;
  /** Answers 429 after too many calls. Default: false. */
  readonly rateLimits?: boolean;
}

/** What is to be booked; the rest is made up. */
export interface BookingRequest {
  /** The URI of an event type. */
  readonly eventType?: string;
  readonly startTime?: Date;
  readonly email?: string;
  readonly name?: string;
}

/** A record as the service answers it. */
export interface SandboxRecord {
  readonly uri: string;
  readonly [field: string]: unknown;
}

/** Probabilities from 0 to 1, as in docs/sandbox.md. */
export interface SandboxFaults {
  readonly duplicate?: number;
  readonly drop?: number;
  readonly shuffle?: number;
  readonly delay_ms?: number;
  readonly corrupt_signature?: number;
  readonly stale_retries?: number;
  readonly same_second?: number;
  /** A probability, or a status from 500 to 599 for every answer. */
  readonly status?: number;
  readonly rate_limit?: number;
  readonly latency_ms?: number;
}

export interface Sandbox extends AsyncDisposable {
  /** API_BASE_URL. */
  readonly url: string;
  /** API_TOKEN: of the owner, with every scope. */
  readonly token: string;
  readonly organization: string;
  readonly user: string;
  /** The URIs of event types. */
  readonly eventTypes: { readonly solo: string; readonly group: string; readonly round_robin: string };
  readonly clock: {
    now(): Date;
    /** `90m`, `24h`, `3d`: retries of deliveries, conference links and the end of subscriptions follow. */
    advance(duration: string): Promise<void>;
  };
  /** An invitee books. Each booking without a time has one of its own. */
  book(request?: BookingRequest): Promise<SandboxRecord>;
  cancel(
    invitee: string,
    cancellation?: { readonly by?: 'host' | 'invitee'; readonly reason?: string },
  ): Promise<SandboxRecord>;
  reschedule(invitee: string, startTime: Date): Promise<SandboxRecord>;
  noShow(invitee: string): Promise<SandboxRecord>;
  undoNoShow(invitee: string): Promise<SandboxRecord>;
  /** Replaces the faults; without any, there are none. */
  faults(faults?: SandboxFaults): Promise<void>;
  /** Everything that the service sent, with the answers. */
  deliveries(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Any operation of the service, or of the controls under `/_sandbox`. Throws when it is not 2xx. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}

const halfHourMs = 30 * 60_000;
const dayMs = 48 * halfHourMs;

export async function startSandbox({ rateLimits = false, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await openSandbox({ ...options, rateLimits });
  const { handles, service } = sandbox;
  const { base_url: url, tokens, organization, users, event_types: eventTypes } = handles;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${tokens.owner}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const resource = async (method: string, path: string, body: object): Promise<SandboxRecord> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every answer of these operations has this form
    ((await call(method, path, body)) as { resource: SandboxRecord }).resource;
  let lastMs = 0;
  const freeTime = (): Date => {
    const fromMs = Math.ceil((service.clock.nowMs() + dayMs) / dayMs) * dayMs;
    lastMs = Math.max(lastMs, fromMs) + halfHourMs;
    return new Date(lastMs);
  };
  let people = 0;
  const close = (): Promise<void> => sandbox[Symbol.asyncDispose]();
  return {
    url,
    token: tokens.owner,
    organization,
    user: users.owner,
    eventTypes,
    clock: {
      now: () => new Date(service.clock.nowMs()),
      advance: async (duration) => void (await call('POST', '/_sandbox/clock', { advance: duration })),
    },
    book: ({ eventType = eventTypes.solo, startTime = freeTime(), email, name = 'Ada Rossi' } = {}) =>
      resource('POST', '/invitees', {
        event_type: eventType,
        start_time: startTime.toISOString(),
        invitee: { email: email ?? `invitee.${(people += 1)}@example.test`, name, timezone: 'UTC' },
      }),
    cancel: (uri, { by = 'invitee', reason } = {}) =>
      resource('POST', '/_sandbox/invitees/cancel', {
        uri,
        canceler_type: by,
        ...(reason !== undefined && { reason }),
      }),
    reschedule: (uri, startTime) =>
      resource('POST', '/_sandbox/invitees/reschedule', { uri, start_time: startTime.toISOString() }),
    noShow: (invitee) => resource('POST', '/_sandbox/no_shows', { invitee }),
    undoNoShow: (invitee) => resource('DELETE', '/_sandbox/no_shows', { invitee }),
    faults: async (faults = {}) => void (await call('POST', '/_sandbox/faults', faults)),
    deliveries: async () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of this control
      const { collection } = (await call('GET', '/_sandbox/deliveries')) as { collection: readonly SandboxRecord[] };
      return collection;
    },
    call,
    close,
    [Symbol.asyncDispose]: close,
  };
}
