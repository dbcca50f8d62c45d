// Pushes the feed into a stream of NATS JetStream, as CloudEvents. The stream itself ignores an event that it received within its
// duplicate window; the order of each subject is held because its next entry waits for the acknowledgement of the one before.
import { readFile } from 'node:fs/promises';
import { jetstream, JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { connect, credsAuthenticator, errors, headers, type NatsConnection } from '@nats-io/transport-node';
import { rootCodeOf } from '#src/base/errors.ts';
import { readNats } from '#src/egress/broker-url.ts';
import { cloudEventText, cloudEventType, eventIdOf, eventNameOf } from '#src/feed/cloud-event.ts';
import { SendError, type OpenSink } from '#workers/out/push/sink.ts';

export interface NatsOptions {
  readonly url: string;
  readonly credentialsFile?: string | undefined;
  /** Created with the subjects `PREFIX.>` when there is none; otherwise left as it is. */
  readonly stream: string;
  readonly prefix: string;
  readonly timeoutMs?: number;
}

const concurrency = 64;
/** As the Redis stream has by default; an operator who wants another limit creates the stream. */
const maxMessages = 1_000_000;

export const natsSink =
  ({ url, credentialsFile, stream, prefix, timeoutMs = 10_000 }: NatsOptions): OpenSink =>
  async ({ eventSource }) => {
    const source = await eventSource();
    let opening: Promise<NatsConnection> | undefined;
    let isWatching = false;

    const logIn = async (): Promise<NatsConnection> =>
      connect({
        ...readNats(url),
        ...(credentialsFile !== undefined && { authenticator: credsAuthenticator(await readFile(credentialsFile)) }),
        name: 'slotstream',
        timeout: timeoutMs,
        // The pump sends again, in order. A client that reconnects would send what it has buffered at any time later.
        reconnect: false,
      });
    async function open(): Promise<NatsConnection> {
      const connection = await logIn();
      try {
        const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
        // A user who may not look for the stream may still publish.
        const isMissing = await streams.info(stream).then(() => false, isStreamNotFound);
        if (isMissing) await streams.add({ name: stream, subjects: [`${prefix}.>`], max_msgs: maxMessages });
      } catch (error) {
        await connection.close();
        throw error;
      }
      return connection;
    }
    async function hangUp(failed = opening): Promise<void> {
      if (failed === opening) opening = undefined;
      await (await failed?.catch(() => undefined))?.close();
    }
    async function connected(
      signal: AbortSignal,
      use: (connection: NatsConnection) => Promise<unknown>,
    ): Promise<void> {
      if (!isWatching) signal.addEventListener('abort', () => void hangUp(), { once: true });
      isWatching = true;
      const mine = (opening ??= open());
      try {
        await use(await mine);
      } catch (error) {
        const failure = failureOf(error);
        if (failure.everywhere) await hangUp(mine);
        throw failure;
      }
    }

    return {
      name: 'nats',
      keyOf: ({ seq, subjectUri }) => subjectUri ?? String(seq),
      batch: 1,
      concurrency,
      check: () =>
        logIn().then(
          (connection) => connection.close(),
          (error: unknown) => Promise.reject(failureOf(error)),
        ),
      send: ([entry], signal) =>
        connected(signal, async (connection) => {
          if (entry === undefined) return;
          const fields = headers();
          fields.set('content-type', cloudEventType);
          await jetstream(connection).publish(`${prefix}.${eventNameOf(entry)}`, cloudEventText(entry, source), {
            // Other mirrors may use the stream too.
            msgID: `${source}#${eventIdOf(entry)}`,
            headers: fields,
            timeout: timeoutMs,
            expect: { streamName: stream },
          });
        }),
      [Symbol.asyncDispose]: () => hangUp(),
    };
  };

const isStreamNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;

const messageTooLarge = 10_054;

/** What is wrong with one entry concerns its subject alone. */
function failureOf(error: unknown): SendError {
  if (error instanceof errors.InvalidArgumentError)
    return new SendError({ code: 'MAX_PAYLOAD', everywhere: false, hint: 'raise max_payload of the NATS server' });
  if (error instanceof JetStreamApiError)
    return new SendError({
      code: String(error.code),
      everywhere: error.code !== messageTooLarge,
      hint: 'see the error codes of JetStream',
    });
  if (error instanceof Error && error.name === 'JetStreamNotEnabled')
    return new SendError({
      code: error.name,
      everywhere: true,
      hint: 'no stream has the subjects of FEED_NATS_SUBJECT, or JetStream is off',
    });
  return new SendError({ code: rootCodeOf(error), everywhere: true });
}
