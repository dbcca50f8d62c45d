// A message to one subscription: its envelope (A1) and, for every attempt, its headers with the signature (A2).
import { signDelivery } from '#src/signing/signature.ts';
import type { Fact } from '#src/sandbox/world/service.ts';
import type { StoredSubscription } from '#src/sandbox/world/state.ts';

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
