// The feed on the admin listener: pages with a cursor and a long poll, and a stream that goes on.
import { z } from 'zod';
import { parseInput } from '#src/http/request.ts';
import { invalid } from '#src/http/http-error.ts';
import { consumerName } from '#src/feed/consumer.ts';
import { feedEntry } from '#src/feed/entry.ts';
import { filterInputs, filterOf } from '#src/feed/filter.ts';
import { readFeed, type FeedPage } from '#src/feed/page.ts';
import { openStream } from '#src/feed/stream.ts';
import type { FeedFilter, FeedPlace } from '#src/store/log/feed.ts';
import { lastSeq } from '#src/store/log/log.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';

const number = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`);

const place = number(0, 999_999_999_999_999);
const reading = {
  after: place
    .optional()
    .describe('The last entry you have: the page begins behind it. 0, or nothing, is the beginning.'),
  consumer: consumerName.optional().describe('Read behind the stored position of this consumer, instead of `after`.'),
  ...filterInputs,
};
const pageQuery = z.strictObject({
  ...reading,
  limit: number(1, 1_000).default(100).describe('At most so many entries; fewer where they are large.'),
  wait: number(0, 60).default(0).describe('At the end of the log, wait so many seconds for something new.'),
});
const streamQuery = z.strictObject(reading);

const page = z.strictObject({
  collection: z.array(feedEntry),
  pagination: z.strictObject({ next_after: z.int().describe('Continue with this as `after`.') }),
});

/** Each may hold a page of about 4 MB while its reader is slow. */
const mostStreams = 200;
const comeBackSeconds = 10;

export const feedOperations = (needs: ReaderNeeds): readonly Operation[] => {
  const streams = { open: 0 };
  return [pagesOperation(needs), streamOperation(needs, streams)];
};

const pagesOperation = (needs: ReaderNeeds): Operation =>
  defineOperation({
    id: 'readFeed',
    method: 'GET',
    path: '/api/feed',
    tag: 'Feed',
    summary: 'Everything that happened, in order',
    description:
      'Continue from `next_after`: no entry is ever missed, however many processes write. An empty collection is the end of the log, for now. `next_after` moves past entries that a filter left out.',
    query: pageQuery,
    answers: 'object',
    schema: page,
    async run({ query, request: { signal } }) {
      const after = (await startOf(needs, query)) ?? 0;
      const found = await readPatiently(needs, { ...query, filter: filterOf(query), after, signal });
      return new Response(pageText(found), { headers: { 'content-type': 'application/json' } });
    },
  });

const streamOperation = (needs: ReaderNeeds, streams: { open: number }): Operation =>
  defineOperation({
    id: 'streamFeed',
    method: 'GET',
    path: '/api/feed/stream',
    tag: 'Feed',
    summary: 'The feed as server-sent events',
    description:
      'Each event has the entry’s `seq` as its id, its kind as its name (`entry` where it has none) and the entry as its data. Begins at the end of the log; `after=0` begins at the beginning. A reader that comes back with `Last-Event-ID` goes on where it was.',
    refusals: { 503: `${mostStreams} streams are open already: come back after \`Retry-After\` seconds.` },
    query: streamQuery,
    answers: 'stream',
    contentType: 'text/event-stream',
    async run({ query, request: { headers, signal } }) {
      const { store, tail } = needs;
      const { last } = parseInput(resuming, { last: headers.get('last-event-id') || undefined });
      // The header is newer than the address: a browser that comes back sends both.
      const start = await startOf(needs, last === undefined ? query : { after: last });
      const after = start ?? (await lastSeq(store));
      const read = (filter: FeedFilter, where: FeedPlace) => readFeed(store, filter, where);
      if (streams.open >= mostStreams) return tooMany();
      streams.open += 1;
      const onEnd = (): void => void (streams.open -= 1);
      const stream = openStream({ read, tail, onEnd }, { filter: filterOf(query), after, signal });
      return new Response(stream, { headers: streamHeaders });
    },
  });

const tooMany = (): Response =>
  Response.json(
    { title: 'Service Unavailable', message: `${mostStreams} streams are open already: come back later.` },
    { status: 503, headers: { 'retry-after': String(comeBackSeconds) } },
  );

const resuming = z.object({ last: place.optional() });

const streamHeaders = {
  'content-type': 'text/event-stream',
  // Nobody on the way may keep an event back.
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // A process that stops waits for its connections: this one ends with its stream.
  connection: 'close',
};

interface Start {
  readonly after?: number | undefined;
  readonly consumer?: string | undefined;
}

/** Undefined when nothing was said. */
async function startOf({ store }: ReaderNeeds, { after, consumer }: Start): Promise<number | undefined> {
  if (after !== undefined && consumer !== undefined)
    throw invalid({ message: 'a consumer has its own position: leave out one of the two', parameter: 'after' });
  if (consumer !== undefined) return (await readPosition(store, consumer)) ?? 0;
  if (after === undefined) return undefined;
  const last = await lastSeq(store);
  // Of another log, or of this one before it was restored: silence would look like nothing had happened.
  if (after > last) throw invalid({ message: `the log ends at ${last}`, parameter: 'after' });
  return after;
}

interface Asked {
  readonly filter: FeedFilter;
  readonly after: number;
  readonly limit: number;
  /** Seconds. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** At the end of the log, waits for something that the filter lets pass. */
async function readPatiently({ store, tail }: ReaderNeeds, asked: Asked): Promise<FeedPage> {
  const { filter, limit, wait } = asked;
  let found = await readFeed(store, filter, { after: asked.after, limit });
  if (found.entries.length > 0 || wait === 0) return found;
  const over = AbortSignal.any([asked.signal, tail.closing, AbortSignal.timeout(wait * 1_000)]);
  while (found.entries.length === 0 && !over.aborted) {
    await tail.beyond(found.nextAfter, over);
    found = await readFeed(store, filter, { after: found.nextAfter, limit });
  }
  return found;
}

/** Put together as text: the entries are JSON already. */
function pageText({ entries, nextAfter }: FeedPage): string {
  return `{"collection":[${entries.map(({ text }) => text).join()}],"pagination":{"next_after":${nextAfter}}}`;
}
