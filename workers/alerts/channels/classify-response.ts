// What a web address answered to a message, as every channel over HTTP tells it.
import type { OutgoingAnswer } from '#src/egress/http.ts';
import { requestedDelayMs } from '#src/base/retry-after.ts';
import type { Sent } from './channel.ts';

export interface AnswerInput {
  readonly answer: OutgoingAnswer;
  readonly nowMs: number;
  /** What may be told of the body. It may repeat what we sent, so by default nothing is. */
  readonly told?: (text: string) => string | undefined;
  /** Of the statuses that say that the message will never be taken. */
  readonly isFinal: (status: number) => boolean;
}

export function sentAs({ answer, nowMs, told, isFinal }: AnswerInput): Sent {
  if (!answer.ok)
    return { ok: false, answer: answer.reason, retry: !answer.refused, ...(answer.unsure && { unsure: true }) };
  const { status } = answer;
  const words = [String(status), told?.(answer.text.trim())].filter(Boolean).join(' ');
  if (status >= 200 && status < 300) return { ok: true, answer: words };
  if (status >= 300 && status < 400) return { ok: false, answer: `${words}: redirects are not followed`, retry: false };
  const retryAfterMs = requestedDelayMs(answer, nowMs);
  return {
    ok: false,
    answer: words,
    retry: !isFinal(status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(ofGateways.has(status) && { unsure: true }),
  };
}

/** Somebody in between lost sight of it. */
const ofGateways: ReadonlySet<number> = new Set([502, 504]);

/** 4xx, except those that pass by themselves. */
export const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);
