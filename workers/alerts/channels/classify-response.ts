// Turns the answer of an HTTP endpoint into the result of a send, for every channel over HTTP.
import { requestedDelayMs } from '#src/base/retry-after.ts';
import type { Outgoing, OutgoingAnswer } from '#src/egress/http.ts';
import type { SendResult } from './channel.ts';

export interface HttpChannelNeeds {
  readonly outgoing: Outgoing;
  readonly clock: () => number;
}

export interface ResponseInput {
  readonly answer: OutgoingAnswer;
  readonly nowMs: number;
  /** The part of the body that may be shown. It may repeat what we sent, so by default nothing is. */
  readonly shownBody?: (text: string) => string | undefined;
  /** Whether a status means that the message will never be accepted. */
  readonly isFinal: (status: number) => boolean;
}

export function classifyResponse({ answer, nowMs, shownBody, isFinal }: ResponseInput): SendResult {
  if (!answer.ok)
    return { ok: false, answer: answer.reason, retry: !answer.refused, ...(answer.unsure && { outcomeUnknown: true }) };
  const { status } = answer;
  const text = [String(status), shownBody?.(answer.text.trim())].filter(Boolean).join(' ');
  if (status >= 200 && status < 300) return { ok: true, answer: text };
  if (status >= 300 && status < 400) return { ok: false, answer: `${text}: redirects are not followed`, retry: false };
  const retryAfterMs = requestedDelayMs(answer, nowMs);
  return {
    ok: false,
    answer: text,
    retry: !isFinal(status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(gatewayErrors.has(status) && { outcomeUnknown: true }),
  };
}

/** A gateway lost the connection to the recipient: whether the message arrived is unknown. */
const gatewayErrors: ReadonlySet<number> = new Set([502, 504]);

/** 4xx, except those that can pass by themselves. */
export const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);
