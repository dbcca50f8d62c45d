// Pushes the feed into a Redis Stream. An entry's place in the log is its id there, `SEQ-0`, as long as that is greater than the last id:
// Redis takes ids in rising order only. Otherwise its id follows the last one, `LAST-1`, `LAST-2`, …
//
// Before the first send, and after each that failed, the end of the stream is compared with the log, entry by entry (D66): what is there
// is not added again, and a stream with an entry that the log does not have is refused until a person decides.
import { Redis } from 'ioredis';
import { codeOf } from '#src/base/errors.ts';
import { isUntrustedCertificate, privateCaHint } from '#src/base/private-ca.ts';
import { eventIdOf } from '#src/feed/cloud-event.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { SendError, type OpenSink } from '#workers/out/push/sink.ts';
import { idsFor, idText, lastIdOf, readEnd, type StreamEnd } from './redis-stream-end.ts';

interface RedisStreamOptions {
  readonly url: string;
  readonly key: string;
  /** About so many entries stay in the stream; 0 = all. */
  readonly maxLength: number;
}

const batch = 100;

export const redisStreamSink =
  ({ url, key, maxLength }: RedisStreamOptions): OpenSink =>
  async ({ log }) => {
    const redis = new Redis(url, {
      connectTimeout: 5_000,
      commandTimeout: 10_000,
      // Fails at once while Redis is away, and sends nothing again by itself: the pump does, in order.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => Math.min(times * 100, 1_000),
      // After a failover the old master refuses writes: look for the new one.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    // A command that fails while there is no connection does not say why there is none.
    let connectionError: unknown;
    redis.on('error', (error) => (connectionError = error));
    const failureOf = (error: unknown): SendError => {
      if (error instanceof SendError) return error;
      const answered = codeOf(causeOf(error));
      const code = answered === 'MaxRetriesPerRequestError' ? codeOf(connectionError) : answered;
      return new SendError({ code, everywhere: true, ...(isUntrustedCertificate(code) && { hint: privateCaHint }) });
    };
    const added = (id: string, entry: FeedEntry): (string | number)[] => {
      const { seq, event, subjectUri, text } = entry;
      const bound = maxLength === 0 ? [] : ['MAXLEN', '~', maxLength];
      return [...bound, id, 'seq', seq, 'event', event ?? '', 'subject_uri', subjectUri ?? '', 'entry', text];
    };
    const compared = (from: number): Promise<StreamEnd> =>
      log === undefined ? Promise.reject(new Error('there is no log')) : readEnd(redis, { key, from, log });
    /** Undefined where it is not known what the stream has: at first, and after a send that failed. */
    let end: StreamEnd | undefined;
    return {
      name: 'redis-stream',
      // One after another: an id that is passed over cannot be added later.
      keyOf: () => '',
      batch,
      concurrency: 1,
      async check() {
        try {
          await redis.ping();
          if (log !== undefined) await compared((await log.position()) + 1);
        } catch (error) {
          throw failureOf(error);
        }
      },
      end: () => lastIdOf(redis, key).then(idText, (error: unknown) => Promise.reject(failureOf(error))),
      async send(entries, signal) {
        const hangUp = (): void => redis.disconnect();
        signal.addEventListener('abort', hangUp, { once: true });
        try {
          const { lastId, there } = end ?? (await compared(entries[0]?.seq ?? 0));
          end = undefined;
          const missing = entries.filter((entry) => !there.has(eventIdOf(entry)));
          const ids = idsFor(lastId, missing);
          // All or none: where Redis refused one alone (it is full), those behind it would come before it.
          const transaction = redis.multi();
          for (const [index, entry] of missing.entries())
            transaction.xadd(key, ...added(idText(ids[index] ?? lastId), entry));
          for (const [error] of (await transaction.exec()) ?? []) if (error) throw error;
          end = { lastId: ids.at(-1) ?? lastId, there };
        } catch (error) {
          throw failureOf(error);
        } finally {
          signal.removeEventListener('abort', hangUp);
        }
      },
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  };

/** The error of a rejected transaction is generic; the errors of its commands carry the reason. */
function causeOf(error: unknown): unknown {
  const causes = error instanceof Error && 'previousErrors' in error ? error.previousErrors : undefined;
  return Array.isArray(causes) && causes.length > 0 ? causes[0] : error;
}
