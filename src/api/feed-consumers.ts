// Named consumers of the feed: the store has the offset of each, so a consumer needs no state of its own.
import { z } from 'zod';
import { isObject } from '#schemas/wire.ts';
import { invalid, notFound } from '#src/http/http-error.ts';
import { consumerName } from '#src/feed/consumer.ts';
import { instantOf } from '#src/base/time.ts';
import type { Unit } from '#src/store/contract.ts';
import { lockKey } from '#src/store/locks.ts';
import { lastSeq } from '#src/store/log/read.ts';
import {
  advancePosition,
  consumersBehind,
  listPositions,
  setPosition,
  readPosition,
  removePosition,
  type FeedPosition,
} from '#src/store/log/consumer-offsets.ts';
import { defineOperation } from './api-operation.ts';

const params = z.object({ name: consumerName });

const consumer = z.strictObject({
  name: z.string(),
  position: z.int().describe('The last entry it acknowledged.'),
  behind: z.int().describe('How many offsets the end of the log is ahead of it.'),
  updated_at: z.string(),
});

const offset = z.int().min(0);
const acknowledgement = z.union(
  [z.strictObject({ acknowledged: offset }), z.strictObject({ rewind_to: offset })],
  'either {"acknowledged": seq} or {"rewind_to": seq}',
);

export const listFeedConsumers = defineOperation({
  id: 'listFeedConsumers',
  method: 'GET',
  path: '/api/feed/consumers',
  tag: 'Feed',
  summary: 'The named consumers and their offsets',
  answers: 'object',
  schema: z.strictObject({ collection: z.array(consumer) }),
  async run({ store }) {
    return { collection: [...(await consumersBehind(store))] };
  },
});

export const acknowledgeFeed = defineOperation({
  id: 'acknowledgeFeed',
  method: 'POST',
  path: '/api/feed/consumers/{name}',
  tag: 'Feed',
  summary: 'Acknowledge the entries a consumer has processed',
  description:
    'Creates the consumer if there is none. Acknowledging only moves forward, so a late acknowledgement does no harm; `rewind_to` moves back on purpose.',
  params,
  body: acknowledgement,
  // Programs acknowledge all day; to rewind is a decision.
  audited: (body) => isObject(body) && 'rewind_to' in body,
  answers: 'resource',
  schema: consumer,
  run({ store, clock, params: { name }, body }) {
    const updated_at = instantOf(clock());
    return store.transaction(async (unit) => {
      // Serializes concurrent requests about the same consumer.
      await lockKey(unit, `consumer ${name}`);
      const last = await lastSeq(unit);
      if ('acknowledged' in body) {
        if (body.acknowledged > last) throw beyond('acknowledged', `the log ends at ${last}`);
        await advancePosition(unit, { name, position: body.acknowledged, updated_at });
      } else {
        const position = await readPosition(unit, name);
        if (position === undefined) throw unknown();
        if (body.rewind_to > position) throw beyond('rewind_to', `the offset of the consumer is ${position}`);
        await setPosition(unit, { name, position: body.rewind_to, updated_at });
      }
      return consumerRecord(await positionNow(unit, name), last);
    });
  },
  errors: { 404: 'There is no such consumer to rewind.' },
});

export const deleteFeedConsumer = defineOperation({
  id: 'deleteFeedConsumer',
  method: 'DELETE',
  path: '/api/feed/consumers/{name}',
  tag: 'Feed',
  summary: 'Delete a consumer and its offset',
  audited: true,
  errors: { 404: 'There is no such consumer.' },
  params,
  answers: 'nothing',
  async run({ store, params: { name } }) {
    await store.transaction(async (unit) => {
      if ((await readPosition(unit, name)) === undefined) throw unknown();
      await removePosition(unit, name);
    });
  },
});

export const feedConsumerOperations = [listFeedConsumers, acknowledgeFeed, deleteFeedConsumer] as const;

const unknown = () => notFound('There is no consumer of this name.', 'name');
const beyond = (parameter: string, message: string) => invalid({ message, parameter });

async function positionNow(unit: Unit, name: string): Promise<FeedPosition> {
  const found = (await listPositions(unit)).find((each) => each.name === name);
  if (found === undefined) throw unknown();
  return found;
}

function consumerRecord({ name, position, updated_at }: FeedPosition, last: number): z.output<typeof consumer> {
  return { name, position, behind: Math.max(0, last - position), updated_at };
}
