// The sinks to which the feed is pushed: how far each is, and whether it accepts what it is sent.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { listPositions } from '#src/store/log/consumer-offsets.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { processOf, sinkRecord } from './mirror-process.ts';

const prefix = 'sink:';

export const listSinks = defineOperation({
  id: 'listSinks',
  method: 'GET',
  path: '/api/sinks',
  tag: 'Feed',
  summary: 'The sinks to which the feed is pushed, and how far behind they are',
  description: 'Configured with `FEED_PUSH_URL`, `FEED_STREAM_URL`, `FEED_NATS_URL` and `FEED_KAFKA_URL`.',
  answers: 'object',
  schema: z.strictObject({ collection: z.array(sinkRecord) }),
  async run(context) {
    const { store } = context;
    const configured = await processOf(context).sinks();
    const last = await lastSeq(store);
    const stored = (await listPositions(store)).filter(({ name }) => name.startsWith(prefix));
    const movedAt = new Map(stored.map(({ name, updated_at }) => [name.slice(prefix.length), updated_at]));
    const off = stored
      .filter(({ name }) => !configured.some((sink) => `${prefix}${sink.name}` === name))
      .map(({ name, position }) => ({
        name: name.slice(prefix.length),
        host: null,
        state: 'off' as const,
        position,
        behind: Math.max(0, last - position),
        sent: 0,
        failures: 0,
        last_error: null,
      }));
    const collection = [...configured, ...off].map((sink) => ({ ...sink, updated_at: movedAt.get(sink.name) ?? null }));
    return { collection };
  },
});

export const sinkOperations = [listSinks] as const;
