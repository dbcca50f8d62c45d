// Where a person lets a sink go on: stored as a request, which the process that fills the sink carries out before it sends anything.
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';

const restart = z.object({
  /** The sink goes on after this entry; absent once that is done. */
  after: z.int().optional(),
  /** What was there up to here is as the person wants it: the sink compares nothing before it with the log. */
  settled: z.string().optional(),
});

const restartOf = (position: string) => keyValue(`restart of ${position}`, restart);

export interface RestartRequest {
  readonly position: string;
  readonly after: number;
  readonly settled: string | undefined;
}

export const requestRestart = (store: Store, { position, after, settled }: RestartRequest): Promise<void> =>
  changeValue(store, restartOf(position), () => ({ result: undefined, after: { after, settled } }));

export const isRestartRequested = async (store: Store, position: string): Promise<boolean> =>
  (await readValue(store, restartOf(position)))?.after !== undefined;

export const readSettled = async (store: Store, position: string): Promise<string | undefined> =>
  (await readValue(store, restartOf(position)))?.settled;

/** Moves the sink to where it was asked to go on. Only the process that holds its lease may: another would move it again. */
export const carryOutRestart = (store: Store, position: string, nowMs: number): Promise<void> =>
  store.transaction(async (unit) => {
    const at = restartOf(position);
    await lockKey(unit, at.key);
    const { after, settled } = (await readValue(unit, at)) ?? {};
    if (after === undefined) return;
    await setPosition(unit, { name: position, position: after, updated_at: instantOf(nowMs) });
    await writeValue(unit, at, { settled });
  });
