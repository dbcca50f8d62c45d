// A message to one subscription: its envelope (A1), for every attempt its headers with the signature (A2), and when it is retried,
// with exponential back-off for a day (A3, A19).
import { signDelivery } from '#src/signing/signature.ts';
import type { Fact, StoredSubscription } from '#src/sandbox/world/service.ts';
import { deliveryPolicy } from '#schemas/limits.ts';
import { hourMs, secondMs } from '#src/sandbox/clock.ts';

export interface Message {
  /** Counts the messages of this run; the faults of a message are drawn from it. */
  readonly number: number;
  readonly subscription: string;
  readonly event: string;
  /** Bytes, not text: thousands of bodies wait in the queue and the log, and bytes lie outside the garbage-collected heap. */
  readonly body: Buffer;
  /** The next attempt, counted from 1. */
  readonly attempt: number;
  /** When the first attempt failed, by the sandbox's clock. */
  readonly failingSinceMs?: number;
  /** The `t` of the first attempt. */
  readonly firstSeconds?: number;
}

const signatureHeader = 'Calendly-Webhook-Signature';

/** Returns a function that makes the bodies of one fact. The payload is serialized once, however many subscriptions receive it. */
export function createEnvelopes(
  { event, at, payload }: Fact,
  wholeSecond: boolean,
): (creator: string | null) => Buffer {
  const created = wholeSecond ? `${at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}.000000Z` : at;
  const head = `{"event":${JSON.stringify(event)},"created_at":${JSON.stringify(created)},"created_by":`;
  const tail = `,"payload":${JSON.stringify(payload)}}`;
  return (creator) => Buffer.from(head + JSON.stringify(creator) + tail);
}

/** `seconds` is the signature's `t`, by the real clock; `corrupt` signs with a wrong key. */
export function headersFor(
  { signingKey }: StoredSubscription,
  body: Uint8Array,
  { seconds, corrupt }: { readonly seconds: number; readonly corrupt: boolean },
): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'slotstream-sandbox',
  };
  if (signingKey === null) return headers;
  const key = corrupt ? `${signingKey} is not it` : signingKey;
  const signing = { scheme: 'timestamped', headerName: signatureHeader, atSeconds: seconds, id: '' } as const;
  return { ...headers, ...signDelivery({ ...signing, key, body }) };
}

const firstDelayMs = 5 * secondMs;
const longestDelayMs = hourMs;
const retryWindowMs = deliveryPolicy.retryHours * hourMs;

const delayAfterMs = (attempt: number): number => Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);

/** When this message failed first, given that it failed now. */
export const failingSince = ({ failingSinceMs }: Message, failedAtMs: number): number => failingSinceMs ?? failedAtMs;

/**
 * The next attempt of a message that just failed; none once it has failed for the whole window. The last attempt falls on the
 * end of the window, so that a subscription that never responds is disabled then and not up to an hour later.
 */
export function retryOf(
  message: Message,
  failedAtMs: number,
  seconds: number,
): { dueMs: number; message: Message } | undefined {
  const { attempt, firstSeconds = seconds } = message;
  const failingSinceMs = failingSince(message, failedAtMs);
  const endMs = failingSinceMs + retryWindowMs;
  if (failedAtMs >= endMs) return undefined;
  const dueMs = Math.min(failedAtMs + delayAfterMs(attempt), endMs);
  return { dueMs, message: { ...message, attempt: attempt + 1, failingSinceMs, firstSeconds } };
}

/** Counts the messages of each subscription that are being retried. */
export function createPendingRetries() {
  const messages = new Map<string, number>();
  return {
    begin: (subscription: string) => void messages.set(subscription, (messages.get(subscription) ?? 0) + 1),
    /** A message was delivered or given up. Returns whether it was the last. */
    end(subscription: string): boolean {
      const left = (messages.get(subscription) ?? 0) - 1;
      if (left > 0) messages.set(subscription, left);
      else messages.delete(subscription);
      return left <= 0;
    },
    dropIf(test: (subscription: string) => boolean): void {
      for (const subscription of messages.keys()) if (test(subscription)) messages.delete(subscription);
    },
  };
}
