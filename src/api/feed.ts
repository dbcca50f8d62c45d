// The feed: pages with a long poll, and a stream of server-sent events.
import { z } from 'zod';
import { accepts, parseInput } from '#src/http/request.ts';
import { invalid } from '#src/http/http-error.ts';
import {
  cloudEventBatch,
  cloudEventBatchType,
  cloudEventText,
  eventIdOf,
  lastEventId,
  eventSourceOf,
} from '#src/feed/cloud-event.ts';
import { consumerName } from '#src/feed/consumer.ts';
import { filterInputs, filterOf, includeInput } from '#src/feed/filter.ts';
import { feedEntry, readFeed, type FeedPage, type FeedRequest } from '#src/feed/entry.ts';
import { openStream } from '#src/feed/stream.ts';
import type { Store } from '#src/store/contract.ts';
import type { FeedFilter, FeedRange } from '#src/store/log/feed.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { defineOperation, type ApiContext } from './api-operation.ts';

const number = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`);

const maxWaitSeconds = 60;
const offset = number(0, 999_999_999_999_999);
const reading = {
  after: offset
    .optional()
    .describe('The last entry you have: the page begins after it. 0, or nothing, is the beginning.'),
  consumer: consumerName.optional().describe('Read after the stored offset of this consumer, instead of `after`.'),
  ...filterInputs,
  include: includeInput,
};
const pageQuery = z.strictObject({
  ...reading,
  limit: number(1, 1_000).default(100).describe('The maximum number of entries; there are fewer when they are large.'),
  wait: number(0, maxWaitSeconds).default(0).describe('At the end of the log, wait this many seconds for a new entry.'),
  // These two as http-feeds names them.
  lastEventId: lastEventId.optional().describe('As a CloudEvent’s `id`: the last event you have, instead of `after`.'),
  timeout: number(0, 999_999_999_999_999)
    .optional()
    .describe(`Instead of \`wait\`, in milliseconds; ${maxWaitSeconds} seconds are the most.`),
});
const streamQuery = z.strictObject(reading);

const page = z.strictObject({
  collection: z.array(feedEntry),
  pagination: z.strictObject({ next_after: z.int().describe('Continue with this as `after`.') }),
});

/** Of one token, with its long polls: each may buffer a page of about 4 MB for a slow reader. */
const maxStreams = 20;
const retryAfterSeconds = 10;

const tooManyStreams = {
  503: `${maxStreams} streams or long polls of this token are already open: retry after \`Retry-After\` seconds.`,
};

/** Returns how it ends; undefined where too many are open. */
function enter({ streams, caller }: Pick<ApiContext, 'streams' | 'caller'>): (() => void) | undefined {
  const who = caller?.who ?? '';
  const open = streams.get(who) ?? 0;
  if (open >= maxStreams) return undefined;
  streams.set(who, open + 1);
  return () => void streams.set(who, (streams.get(who) ?? 1) - 1);
}

export const feedOperations = [
  defineOperation({
    id: 'readFeed',
    method: 'GET',
    path: '/api/feed',
    tag: 'Feed',
    summary: 'Everything that happened, in order',
    description:
      'Continue from `next_after`: no entry is ever missed, however many processes write. An empty collection is the current end of the log. `next_after` moves past entries that a filter left out. With `Accept: application/cloudevents-batch+json` the answer is an array of CloudEvents 1.0, as http-feeds.org defines it: continue from the last `id` with `lastEventId`; an empty array is the end.',
    query: pageQuery,
    answers: 'object',
    schema: page,
    alternatives: [{ contentType: cloudEventBatchType, schema: cloudEventBatch }],
    errors: tooManyStreams,
    async run({ store, tail, query, request: { signal, headers }, ...caller }) {
      const after = (await startOf(store, query)) ?? 0;
      const waitMs = Math.min(query.timeout ?? query.wait * 1_000, maxWaitSeconds * 1_000);
      const leave = waitMs > 0 ? enter(caller) : () => {};
      if (leave === undefined) return tooMany();
      const found = await longPoll(
        { store, tail },
        { ...query, waitMs, filter: filterOf(query), after, signal },
      ).finally(leave);
      const isBatch = accepts(cloudEventBatchType, headers.get('accept'));
      const text = isBatch ? await batchText(store, found) : pageText(found);
      const type = isBatch ? cloudEventBatchType : 'application/json';
      return new Response(text, { headers: { 'content-type': type, vary: 'Accept' } });
    },
  }),
  defineOperation({
    id: 'streamFeed',
    method: 'GET',
    path: '/api/feed/stream',
    tag: 'Feed',
    summary: 'The feed as server-sent events',
    description:
      'Each event has the entry’s `seq` as its id, its kind as its name (`entry` where it has none) and the entry as its data. Begins at the end of the log; `after=0` begins at the beginning. With `include=none` events have no name. A reader that reconnects with `Last-Event-ID` continues where it was.',
    errors: tooManyStreams,
    query: streamQuery,
    answers: 'stream',
    contentType: 'text/event-stream',
    async run({ store, tail, query, request: { headers, signal }, ...caller }) {
      const { last } = parseInput(resuming, { last: headers.get('last-event-id') || undefined });
      // A browser that reconnects sends the URL of its first request, so the header is newer.
      const start = await startOf(store, last === undefined ? query : { after: last });
      const after = start ?? (await lastSeq(store));
      const read = (filter: FeedFilter, range: FeedRange) =>
        readFeed(store, filter, { ...range, include: query.include });
      const onEnd = enter(caller);
      if (onEnd === undefined) return tooMany();
      const stream = openStream(
        { read, tail, onEnd, isUnnamed: query.include === 'none' },
        { filter: filterOf(query), after, signal },
      );
      return new Response(stream, { headers: streamHeaders });
    },
  }),
] as const;

const tooMany = (): Response =>
  Response.json(
    {
      title: 'Service Unavailable',
      message: `${maxStreams} streams and long polls of this token are already open: retry later.`,
    },
    { status: 503, headers: { 'retry-after': String(retryAfterSeconds) } },
  );

const resuming = z.object({ last: offset.optional() });

const streamHeaders = {
  'content-type': 'text/event-stream',
  // No proxy may buffer an event.
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // A process that stops waits for its connections; this one ends with its stream.
  connection: 'close',
};

interface Start {
  readonly after?: number | undefined;
  readonly consumer?: string | undefined;
  readonly lastEventId?: z.output<typeof lastEventId>;
}

/** Undefined when the query names no offset. */
async function startOf(store: Store, start: Start): Promise<number | undefined> {
  const { consumer, lastEventId: last, after = last?.seq } = start;
  const parameter = last === undefined ? 'after' : 'lastEventId';
  if (after !== undefined && consumer !== undefined)
    throw invalid({ message: 'a consumer has its own offset: leave out one of the two', parameter });
  if (start.after !== undefined && last !== undefined)
    throw invalid({ message: 'it means the same as `after`: leave out one of the two', parameter });
  if (consumer !== undefined) return (await readPosition(store, consumer)) ?? 0;
  if (after === undefined) return undefined;
  const end = await lastSeq(store);
  // The offset is from another log, or from before a restore: waiting for it would look as if nothing happened.
  if (after > end) throw invalid({ message: `the log ends at ${end}`, parameter });
  if (last !== undefined && !(await isOfThisLog(store, last)))
    throw invalid({ message: 'the event is not of this log', parameter });
  return after;
}

/** False when another entry has the position, as after a restore. An entry that has moved, or was pruned, leaves its position empty. */
async function isOfThisLog(store: Store, { id, seq }: NonNullable<Start['lastEventId']>): Promise<boolean> {
  const { entries } = await readFeed(store, {}, { after: seq - 1, limit: 1, include: 'none' });
  return entries.every((entry) => entry.seq !== seq || eventIdOf(entry) === id);
}

interface LongPoll extends FeedRequest {
  readonly filter: FeedFilter;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** At the end of the log, waits for an entry that matches the filter. */
async function longPoll(
  { store, tail }: Pick<ApiContext, 'store' | 'tail'>,
  { filter, after, limit, include, waitMs, signal }: LongPoll,
): Promise<FeedPage> {
  let found = await readFeed(store, filter, { after, limit, include });
  if (found.entries.length > 0 || waitMs === 0) return found;
  const over = AbortSignal.any([signal, tail.closing, AbortSignal.timeout(waitMs)]);
  while (found.entries.length === 0 && !over.aborted) {
    await tail.beyond(found.nextAfter, over);
    found = await readFeed(store, filter, { after: found.nextAfter, limit, include });
  }
  return found;
}

/** Concatenates text, because the entries already are JSON. */
function pageText({ entries, nextAfter }: FeedPage): string {
  return `{"collection":[${entries.map(({ text }) => text).join()}],"pagination":{"next_after":${nextAfter}}}`;
}

async function batchText(store: Store, { entries }: FeedPage): Promise<string> {
  const source = eventSourceOf(store);
  return `[${entries.map((entry) => cloudEventText(entry, source)).join()}]`;
}
