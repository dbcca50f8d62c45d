// Pushes the feed to a web address as Standard Webhooks: signed, in order for each subject, with an id that stays the same however
// often an entry is sent. The body is an envelope of ours or a CloudEvent.
import type { HttpSender } from '#src/egress/http.ts';
import { cloudEventText, cloudEventType, eventIdOf } from '#src/feed/cloud-event.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { signDelivery } from '#src/signing/signature.ts';
import { requestedDelayMs } from '#src/base/retry-after.ts';
import { SendError, type OpenSink } from './sink.ts';

export interface WebhookOptions {
  /** Checks the address, and follows no redirect: what we send is for this address only. It is closed with the sink. */
  readonly outgoing: HttpSender;
  readonly url: string;
  readonly secret: string;
  readonly format?: PushFormat;
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
}

export type PushFormat = 'slotstream' | 'cloudevents';

const concurrency = 8;

export const webhookSink =
  ({ outgoing, url, secret, format = 'slotstream', nowMs, timeoutMs = 10_000 }: WebhookOptions): OpenSink =>
  async ({ eventSource }) => {
    const source = format === 'cloudevents' ? await eventSource() : undefined;
    return {
      name: 'webhook',
      // Without a subject there is nothing to be in order with.
      keyOf: ({ seq, subjectUri }) => subjectUri ?? String(seq),
      batch: 1,
      concurrency,
      async send([entry], signal) {
        if (entry === undefined) return;
        const body = source === undefined ? bodyOf(entry) : cloudEventText(entry, source);
        const type = source === undefined ? 'application/json' : cloudEventType;
        const atSeconds = Math.floor(nowMs() / 1000);
        const signed = {
          scheme: 'standard-webhooks',
          headerName: '',
          key: secret,
          id: eventIdOf(entry),
          atSeconds,
        } as const;
        const headers = { 'content-type': type, ...signDelivery({ ...signed, body: Buffer.from(body) }) };
        const answer = await outgoing.post(url, { headers, body, timeoutMs, signal });
        // The sink is not reachable, did not answer in time, or has an address that is not allowed.
        if (!answer.ok)
          throw new SendError({ code: answer.code, everywhere: true, ...(answer.refused && { hint: answer.reason }) });
        const { status } = answer;
        if (status >= 200 && status < 300) return;
        const requestedMs = requestedDelayMs(answer, nowMs());
        throw new SendError({ code: String(status), requestedMs, everywhere: status === 429 || status === 503 });
      },
      async [Symbol.asyncDispose]() {
        outgoing.close();
      },
    };
  };

/** As Standard Webhooks asks for: what it is, when it was, and what it says. */
function bodyOf({ event, occurredAt, receivedAt, text }: FeedEntry): string {
  return `{"type":${JSON.stringify(event ?? 'entry')},"timestamp":${JSON.stringify(occurredAt ?? receivedAt)},"data":${text}}`;
}
