// The pace of a channel whose recipient limits messages (429 with `Retry-After`): one at a time over all workers, at an interval, until
// the recipient has not complained for a while.
import { z } from 'zod';
import { minuteMs, secondMs } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';

const paceOf = (channel: string) =>
  keyValue(`alerts pace ${channel}`, z.object({ limitedMs: z.number(), nextMs: z.number(), everyMs: z.number() }));

/** After this time without a complaint the channel has no pace any more. */
const quietMs = 10 * minuteMs;
/** A recipient that asks for a long pause is not asking for one between all messages. */
const longestIntervalMs = 5 * secondMs;

/** Returns when the next message may be sent. */
export function slowDown(
  store: Store,
  channel: string,
  { nowMs, requestedMs }: { readonly nowMs: number; readonly requestedMs: number },
): Promise<number> {
  const pauseMs = Math.max(requestedMs, secondMs);
  return changeValue(store, paceOf(channel), (before) => {
    const nextMs = Math.max(before?.nextMs ?? 0, nowMs + pauseMs);
    return { result: nextMs, after: { limitedMs: nowMs, nextMs, everyMs: Math.min(pauseMs, longestIntervalMs) } };
  });
}

/** How many messages may be sent now. Workers take turns: the caller's transaction holds the pace until it ends. */
export async function takeTurn(
  unit: Unit,
  channel: string,
  { nowMs, room, busy }: { readonly nowMs: number; readonly room: number; readonly busy: number },
): Promise<number> {
  const at = paceOf(channel);
  await lockKey(unit, at.key);
  const pace = await readValue(unit, at);
  if (pace === undefined || nowMs >= Math.max(pace.limitedMs + quietMs, pace.nextMs)) return room;
  if (busy > 0 || nowMs < pace.nextMs) return 0;
  await writeValue(unit, at, { ...pace, nextMs: nowMs + pace.everyMs });
  return Math.min(room, 1);
}
