// Pushes the feed into a topic of Kafka, as CloudEvents. The subject is the key, so a partition has the entries of a subject in order.
// Batches are sent one after the other by an idempotent producer: the retries of its own add nothing twice.
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka';
import { codeOf } from '#src/base/errors.ts';
import { readKafka } from '#src/egress/broker-url.ts';
import { cloudEventText, cloudEventType } from '#src/feed/cloud-event.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { SendError, type OpenSink } from '#workers/out/push/sink.ts';

const batch = 100;
/** A broker accepts 1 MiB per partition by default. */
const batchCharacters = 500_000;
const headers = { 'content-type': `${cloudEventType}; charset=UTF-8` };

export const kafkaSink =
  ({ url, timeoutMs = 10_000 }: { readonly url: string; readonly timeoutMs?: number }): OpenSink =>
  async ({ eventSource }) => {
    const source = await eventSource();
    const { topic, ...connection } = readKafka(url) ?? { topic: '' };
    const open = () =>
      new Producer({
        bootstrapBrokers: [],
        ...connection,
        clientId: 'slotstream',
        serializers: stringSerializers,
        // As the clients of other languages choose the partition of a key.
        partitioner: compatibilityPartitioner,
        idempotent: true,
        // No ID yet, as the protocol has it.
        producerId: -1n,
        producerEpoch: -1,
        autocreateTopics: true,
        connectTimeout: timeoutMs,
        timeout: timeoutMs,
        requestTimeout: timeoutMs,
        // One and none mean "without end" here. The pump retries without end, and can be stopped.
        retries: 2,
        retryDelay: 250,
      });
    let producer: ReturnType<typeof open> | undefined;

    async function hangUp(): Promise<void> {
      const closing = producer;
      producer = undefined;
      await closing?.close(true).catch(() => undefined);
    }
    async function connected(signal: AbortSignal, use: (opened: ReturnType<typeof open>) => Promise<unknown>) {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const stop = (): void => reject(new Error('stopped'));
      signal.addEventListener('abort', stop, { once: true });
      try {
        await Promise.race([aborted, use((producer ??= open()))]);
      } catch (error) {
        // After an unknown outcome, a producer that begins anew cannot refuse the same entries as out of sequence.
        await hangUp();
        throw failureOf(error);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }

    return {
      name: 'kafka',
      // One batch after the other: its entries are of many subjects and partitions.
      keyOf: () => '',
      batch,
      concurrency: 1,
      check: (signal) => connected(signal, (opened) => opened.metadata({ topics: [] })),
      async send(entries, signal) {
        for (const part of partsOf(entries))
          await connected(signal, (opened) =>
            opened.send({
              messages: part.map((entry) => ({
                topic,
                ...(entry.subjectUri !== null && { key: entry.subjectUri }),
                value: cloudEventText(entry, source),
                headers,
              })),
            }),
          );
      },
      [Symbol.asyncDispose]: hangUp,
    };
  };

/** In order, each small enough for a broker unless it is one large entry. */
function partsOf(entries: readonly FeedEntry[]): readonly (readonly FeedEntry[])[] {
  const parts: FeedEntry[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    length += entry.text.length;
    if (length > batchCharacters) {
      parts.push([]);
      length = entry.text.length;
    }
    parts.at(-1)?.push(entry);
  }
  return parts;
}

/** The client wraps the errors of brokers and sockets in several layers. */
function failureOf(error: unknown): SendError {
  const layers = layersOf(error);
  const [answer] = layers.flatMap((each) => ('apiId' in each && typeof each.apiId === 'string' ? [each.apiId] : []));
  const network = layers.map(codeOf).find((code) => /^E[A-Z]+$/.test(code));
  const hint = answer === 'MESSAGE_TOO_LARGE' ? 'raise max.message.bytes of the topic' : undefined;
  return new SendError({ code: answer ?? network ?? codeOf(error), everywhere: true, hint });
}

function layersOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...inner, error.cause].flatMap(layersOf)];
}
