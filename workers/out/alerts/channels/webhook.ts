// The operator's own endpoint: JSON, signed as Standard Webhooks, with an id that is the same at every attempt.
import { signDelivery } from '#src/signing/signature.ts';
import type { Channel } from './channel.ts';
import { isRejection, openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';

export function openWebhook(
  needs: HttpChannelNeeds,
  { url, secret }: { readonly url: string; readonly secret: string },
): Channel {
  const unsigned = { scheme: 'standard-webhooks', headerName: '', key: secret } as const;
  return openHttpChannel(needs, {
    name: 'webhook',
    url,
    bodyOf: webhookBody,
    headersOf: ({ id }, body) =>
      signDelivery({ ...unsigned, id, atSeconds: Math.floor(needs.clock() / 1000), body: Buffer.from(body) }),
    // A missing route may exist after a deployment.
    isFinal: (status) => status !== 404 && isRejection(status),
  });
}

/** `type` (`alert`, `alert.retraction` …), `timestamp` and `data` follow Standard Webhooks. */
function webhookBody({ id, kind, occurredAt, rule, follows, title, text, facts, link, subjects }: Message): string {
  return JSON.stringify({
    id,
    type: kind === 'alert' ? 'alert' : `alert.${kind}`,
    timestamp: occurredAt,
    data: {
      rule,
      follows: follows ?? null,
      title,
      text,
      facts: facts.map(({ label, value }) => ({ label, value })),
      link: link ?? null,
      subject_uris: subjects,
    },
  });
}
