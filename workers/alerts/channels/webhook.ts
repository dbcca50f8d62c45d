// The operator's own endpoint: JSON, signed as Standard Webhooks, with an id that is the same at every attempt.
import { signDelivery } from '#src/signing/signature.ts';
import type { Channel } from './channel.ts';
import { classifyResponse, isRejection, type HttpChannelNeeds } from './classify-response.ts';
import type { Message } from '#workers/alerts/message/message.ts';

const timeoutMs = 10_000;

export function openWebhook(
  { outgoing, clock }: HttpChannelNeeds,
  { url, secret }: { readonly url: string; readonly secret: string },
): Channel {
  return {
    name: 'webhook',
    target: new URL(url).host,
    async send(message, signal) {
      const body = webhookBody(message);
      const signature = signDelivery({
        scheme: 'standard-webhooks',
        headerName: '',
        key: secret,
        id: message.id,
        atSeconds: Math.floor(clock() / 1000),
        body: Buffer.from(body),
      });
      const headers = { 'content-type': 'application/json', ...signature };
      const answer = await outgoing.post(url, { headers, body, timeoutMs, signal });
      // A missing route may exist after a deployment.
      return classifyResponse({ answer, nowMs: clock(), isFinal: (status) => status !== 404 && isRejection(status) });
    },
    close: async () => outgoing.close(),
  };
}

/** `type` (`alert`, `alert.retraction` …), `timestamp` and `data` follow Standard Webhooks. */
function webhookBody({ id, kind, occurredAt, rule, follows, title, text, facts, link, subjects }: Message): string {
  return JSON.stringify({
    id,
    type: kind === 'alert' ? 'alert' : `alert.${kind}`,
    timestamp: occurredAt,
    data: { rule, follows: follows ?? null, title, text, facts, link: link ?? null, subject_uris: subjects },
  });
}
