// What all channels over HTTP have in common: one POST per message, and its answer as the result of the send.
import { requestedDelayMs } from '#src/base/retry-after.ts';
import type { HttpSender, OutgoingAnswer } from '#src/egress/http.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import type { Channel, SendResult } from './channel.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';

export interface HttpChannelNeeds {
  readonly outgoing: HttpSender;
  readonly clock: () => number;
}

interface ResponseRules {
  /** The part of the body that may be shown. It may repeat what we sent, so by default nothing is. */
  readonly shownBody?: (text: string) => string | undefined;
  /** Whether a status means that the message will never be accepted. Default: `isRejection`. */
  readonly isFinal?: (status: number) => boolean;
}

export interface HttpChannelOptions extends ResponseRules {
  readonly name: ChannelName;
  readonly url: string;
  bodyOf(message: Message): string;
  /** Besides the content type. */
  headersOf?(message: Message, body: string): Readonly<Record<string, string>>;
}

const timeoutMs = 10_000;

export function openHttpChannel({ outgoing, clock }: HttpChannelNeeds, options: HttpChannelOptions): Channel {
  const { name, url, bodyOf, headersOf } = options;
  return {
    name,
    target: new URL(url).host,
    async send(message, signal) {
      const body = bodyOf(message);
      const headers = { 'content-type': 'application/json; charset=utf-8', ...headersOf?.(message, body) };
      const answer = await outgoing.post(url, { headers, body, timeoutMs, signal });
      return classifyResponse(answer, clock(), options);
    },
    close: async () => outgoing.close(),
  };
}

function classifyResponse(
  answer: OutgoingAnswer,
  nowMs: number,
  { shownBody, isFinal = isRejection }: ResponseRules,
): SendResult {
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
    ...(retryAfterMs !== undefined && { retryAfterMs, ...(status === 429 && { isLimited: true }) }),
    ...(gatewayErrors.has(status) && { outcomeUnknown: true }),
  };
}

/** A gateway lost the connection to the recipient: whether the message arrived is unknown. */
const gatewayErrors: ReadonlySet<number> = new Set([502, 504]);

/** 4xx, except those that can pass by themselves. */
export const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);
