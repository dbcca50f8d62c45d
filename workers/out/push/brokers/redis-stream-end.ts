// The end of a Redis Stream, compared with the log (D66): which entries are there, which id comes next, and whether all of them are of
// this log. An entry is known by its number and its time of receipt: after a restore or a failover, numbers are used again.
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import { eventIdOf } from '#src/feed/cloud-event.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { SendError, type SinkLog } from '#workers/out/push/sink.ts';

/** `SEQ-0`, or, where that is not greater than the id before, the next one after that. */
type StreamId = readonly [first: number, second: number];

export interface StreamEnd {
  readonly lastId: StreamId;
  /** Of the entries that were asked for, and those after them, the ids of those that are there. */
  readonly there: ReadonlySet<string>;
}

const smallestPage = 1;
const largestPage = 100;

/** Reads from the end to the entry before `from`; throws where the stream has an entry that the log does not have. */
export async function readEnd(
  redis: Redis,
  { key, from, log }: { readonly key: string; readonly from: number; readonly log: SinkLog },
): Promise<StreamEnd> {
  const there = new Set<string>();
  const end = { lastId: await lastIdOf(redis, key), there };
  const settled = idIn((await log.settled()) ?? '0-0');
  let upTo: string | undefined = '+';
  for (let size = smallestPage; upTo !== undefined; size = Math.min(size * 2, largestPage)) {
    const page: [id: string, fields: string[]][] = await redis.xrevrange(key, upTo, '-', 'COUNT', size);
    const found = page.map(([id, fields]) => ({ id: idIn(id), ...identityIn(id, fields) }));
    const received = await log.receiptTimes(found.map(({ seq }) => seq));
    const last = await log.lastSeq();
    for (const { id, seq, receivedAt } of found) {
      if (!isAfter(id, settled)) return end;
      const inLog = received.get(seq);
      if (inLog === undefined ? seq > last : inLog !== receivedAt) throw await otherLog(log);
      // A replay has moved it to the end of the log: the entries before it tell.
      if (inLog === undefined) continue;
      if (seq < from) return end;
      there.add(eventIdOf({ seq, receivedAt: inLog }));
    }
    upTo = page.length < size ? undefined : idBefore(found.at(-1)?.id);
  }
  return end;
}

/** The next ids, in order. */
export function idsFor(lastId: StreamId, entries: readonly Pick<FeedEntry, 'seq'>[]): readonly StreamId[] {
  let last = lastId;
  return entries.map(({ seq }) => (last = seq > last[0] ? [seq, 0] : [last[0], last[1] + 1]));
}

export const idText = ([first, second]: StreamId): string => `${first}-${second}`;

/** Also of entries that a reader has deleted; `0-0` where there is no stream. */
export async function lastIdOf(redis: Redis, key: string): Promise<StreamId> {
  const info: unknown = await redis.xinfo('STREAM', key).catch((error: unknown) => {
    if (error instanceof Error && error.message === 'ERR no such key') return [];
    throw error;
  });
  const fields: readonly unknown[] = Array.isArray(info) ? info : [];
  return idIn(String(fields[fields.indexOf('last-generated-id') + 1] ?? '0-0'));
}

const identity = z.object({ seq: z.int(), received_at: z.string() });

/** What another program has added has no time of receipt, and no entry of the log equals it. */
function identityIn(id: string, fields: readonly string[]): { seq: number; receivedAt: string | undefined } {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name === 'entry');
  const read = identity.safeParse(jsonIn(at < 0 ? undefined : fields[at + 1]));
  return read.success
    ? { seq: read.data.seq, receivedAt: read.data.received_at }
    : { seq: idIn(id)[0], receivedAt: undefined };
}

function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idIn(text: string): StreamId {
  const [first, second] = text.split('-', 2).map(Number);
  return [first ?? 0, second ?? 0];
}

const isAfter = (one: StreamId, other: StreamId): boolean =>
  one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];

/** The greatest id before one. Redis before 6.2 has no ranges without their end. */
function idBefore(id: StreamId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const [first, second] = id;
  if (second > 0) return idText([first, second - 1]);
  return first > 0 ? String(first - 1) : undefined;
}

async function otherLog(log: SinkLog): Promise<SendError> {
  const restart = `${slotstream} feed --sink redis-stream --restart-at ${await log.position()}`;
  return new SendError({
    code: 'STREAM_AHEAD',
    everywhere: true,
    hint: `the stream has entries that this log does not have, of another mirror or of before a restore or a failover. To keep them and add after them what the log has: ${restart}`,
  });
}
