// Pushes the feed into a Redis Stream. An entry's place in the log is its id there, and Redis takes ids in rising order only: what is
// sent twice is there once.
import { Redis } from 'ioredis';
import { codeOf } from '#src/base/errors.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { SendError, type OpenSink } from '#workers/sinks/sink.ts';

interface RedisStreamOptions {
  readonly url: string;
  readonly key: string;
  /** About so many entries stay in the stream; 0 = all. */
  readonly maxLength: number;
}

const batch = 100;
const isThereAlready = /^ERR The ID specified in XADD is equal or smaller/;

export const redisStreamSink =
  ({ url, key, maxLength }: RedisStreamOptions): OpenSink =>
  async ({ lastSeq }) => {
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
      const code = codeOf(causeOf(error));
      return new SendError({
        code: code === 'MaxRetriesPerRequestError' ? codeOf(connectionError) : code,
        everywhere: true,
      });
    };
    const added = (entry: FeedEntry): (string | number)[] => {
      const { seq, event, subjectUri, text } = entry;
      const bound = maxLength === 0 ? [] : ['MAXLEN', '~', maxLength];
      return [...bound, `${seq}-0`, 'seq', seq, 'event', event ?? '', 'subject_uri', subjectUri ?? '', 'entry', text];
    };
    let isChecked = false;
    return {
      name: 'redis-stream',
      // One after another: an id that is passed over cannot be added later.
      keyOf: () => '',
      batch,
      concurrency: 1,
      check: () =>
        redis.ping().then(
          () => undefined,
          (error: unknown) => Promise.reject(failureOf(error)),
        ),
      async send(entries, signal) {
        const hangUp = (): void => redis.disconnect();
        signal.addEventListener('abort', hangUp, { once: true });
        try {
          if (!isChecked) await refuseAhead(redis, key, lastSeq);
          isChecked = true;
          // All or none: where Redis refused one alone (it is full), those behind it would shut it out for good.
          const transaction = redis.multi();
          for (const entry of entries) transaction.xadd(key, ...added(entry));
          for (const [error] of (await transaction.exec()) ?? [])
            if (error && !isThereAlready.test(error.message)) throw error;
        } catch (error) {
          throw failureOf(error);
        } finally {
          signal.removeEventListener('abort', hangUp);
        }
      },
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  };

/** A stream that is ahead of the log would drop every entry as a duplicate. */
async function refuseAhead(redis: Redis, key: string, lastSeq: () => Promise<number>): Promise<void> {
  const newest = await redis.xrevrange(key, '+', '-', 'COUNT', 1);
  const offset = Number(newest[0]?.[0].split('-', 1)[0] ?? 0);
  if (offset > (await lastSeq())) throw new SendError({ code: 'STREAM_AHEAD', everywhere: true });
}

/** The error of a rejected transaction is generic; the errors of its commands carry the reason. */
function causeOf(error: unknown): unknown {
  const causes = error instanceof Error && 'previousErrors' in error ? error.previousErrors : undefined;
  return Array.isArray(causes) && causes.length > 0 ? causes[0] : error;
}
