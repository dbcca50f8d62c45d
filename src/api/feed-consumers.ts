// Named consumers of the feed: the store remembers how far each has come, so that a pipeline needs no state of its own.
import { z } from 'zod';
import { parseInput } from '#src/http/request.ts';
import { invalid, notFound } from '#src/http/http-error.ts';
import { consumerName } from '#src/feed/consumer.ts';
import { instantOf } from '#src/base/time.ts';
import type { Unit } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/log.ts';
import {
  advancePosition,
  listPositions,
  placePosition,
  readPosition,
  removePosition,
  type FeedPosition,
} from '#src/store/log/consumer-offsets.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';

const naming = z.object({ name: consumerName });

const consumer = z.strictObject({
  name: z.string(),
  position: z.int().describe('The last entry it acknowledged.'),
  behind: z.int().describe('How far the end of the log is ahead of it, in places.'),
  updated_at: z.string(),
});

const place = z.int().min(0);
const told = z.union(
  [z.strictObject({ acknowledged: place }), z.strictObject({ rewind_to: place })],
  'either {"acknowledged": seq} or {"rewind_to": seq}',
);

export const feedConsumerOperations = ({ store, clock }: ReaderNeeds): readonly Operation[] => [
  defineOperation({
    id: 'listFeedConsumers',
    method: 'GET',
    path: '/api/feed/consumers',
    tag: 'Feed',
    summary: 'The named consumers and how far each has come',
    answers: 'object',
    schema: z.strictObject({ collection: z.array(consumer) }),
    async run() {
      const last = await lastSeq(store);
      const positions = await listPositions(store);
      return { collection: positions.filter(({ name }) => !name.includes(':')).map((each) => shown(each, last)) };
    },
  }),
  defineOperation({
    id: 'acknowledgeFeed',
    method: 'POST',
    path: '/api/feed/consumers/{name}',
    tag: 'Feed',
    summary: 'Acknowledge what a consumer is done with',
    description:
      'Makes the consumer where there is none. Acknowledging only goes forward, so a late acknowledgement does no harm; `rewind_to` goes back on purpose.',
    body: told,
    answers: 'resource',
    schema: consumer,
    run({ params, body }) {
      const { name } = parseInput(naming, params);
      const updatedAt = instantOf(clock());
      return store.transaction(async (unit) => {
        // Of two who tell at once, the second sees what the first wrote.
        await unit.engine.lockLog(unit.db);
        const last = await lastSeq(unit);
        if ('acknowledged' in body) {
          if (body.acknowledged > last) throw beyond('acknowledged', `the log ends at ${last}`);
          await advancePosition(unit, { name, position: body.acknowledged, updatedAt });
        } else {
          const position = await readPosition(unit, name);
          if (position === undefined) throw unknown();
          if (body.rewind_to > position) throw beyond('rewind_to', `the consumer stands at ${position}`);
          await placePosition(unit, { name, position: body.rewind_to, updatedAt });
        }
        return shown(await positionNow(unit, name), last);
      });
    },
    refusals: { 404: 'There is no such consumer to rewind.' },
  }),
  defineOperation({
    id: 'deleteFeedConsumer',
    method: 'DELETE',
    path: '/api/feed/consumers/{name}',
    tag: 'Feed',
    summary: 'Forget a consumer and its position',
    audited: true,
    refusals: { 404: 'There is no such consumer.' },
    answers: 'nothing',
    async run({ params }) {
      const { name } = parseInput(naming, params);
      await store.transaction(async (unit) => {
        if ((await readPosition(unit, name)) === undefined) throw unknown();
        await removePosition(unit, name);
      });
    },
  }),
];

const unknown = () => notFound('There is no consumer of this name.', 'name');
const beyond = (parameter: string, message: string) => invalid({ message, parameter });

async function positionNow(unit: Unit, name: string): Promise<FeedPosition> {
  const found = (await listPositions(unit)).find((each) => each.name === name);
  if (found === undefined) throw unknown();
  return found;
}

function shown({ name, position, updatedAt }: FeedPosition, last: number): z.output<typeof consumer> {
  return { name, position, behind: Math.max(0, last - position), updated_at: updatedAt };
}
