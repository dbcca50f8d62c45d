// Pushes the feed to a web address as Standard Webhooks: signed, in order for each subject, with an id that stays the same however
// often an entry is sent.
import { codeOf } from '#src/base/errors.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { signDelivery } from '#src/signing/signature.ts';
import { requestedDelayMs } from '#src/base/retry-after.ts';
import { SendError, type OpenSink } from './sink.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
}

const concurrency = 8;

export const webhookSink =
  ({ url, secret, nowMs, timeoutMs = 10_000 }: WebhookOptions): OpenSink =>
  async () => ({
    name: 'webhook',
    // Without a subject there is nothing to be in order with.
    keyOf: ({ seq, subjectUri }) => subjectUri ?? String(seq),
    batch: 1,
    concurrency,
    async send([entry], signal) {
      if (entry === undefined) return;
      const body = bodyOf(entry);
      const atSeconds = Math.floor(nowMs() / 1000);
      const signed = { scheme: 'standard-webhooks', headerName: '', key: secret, id: idOf(entry), atSeconds } as const;
      const answer = await fetch(url, {
        method: 'POST',
        // An answer that leads elsewhere is no acceptance, and what we send is for this address only.
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'slotstream',
          ...signDelivery({ ...signed, body: Buffer.from(body) }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      }).catch((error: unknown) => {
        // The sink is not reachable, or did not answer in time.
        throw new SendError({ code: causeOf(error), everywhere: true });
      });
      await answer.body?.cancel().catch(() => undefined);
      if (answer.ok) return;
      const requestedMs = requestedDelayMs(answer, nowMs());
      const everywhere = answer.status === 429 || answer.status === 503;
      throw new SendError({ code: String(answer.status), requestedMs, everywhere });
    },
    async [Symbol.asyncDispose]() {},
  });

/** As Standard Webhooks asks for: what it is, when it was, and what it says. */
function bodyOf({ event, occurredAt, receivedAt, text }: FeedEntry): string {
  return `{"type":${JSON.stringify(event ?? 'entry')},"timestamp":${JSON.stringify(occurredAt ?? receivedAt)},"data":${text}}`;
}

/** With the time of receipt: a store that was restored gives the same places to other entries. */
function idOf({ seq, receivedAt }: FeedEntry): string {
  return `feed_${seq}_${receivedAt.replaceAll(/\D/g, '')}`;
}

/** `fetch` wraps what happened. */
function causeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'ETIMEDOUT';
  return codeOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
