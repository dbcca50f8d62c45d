// Who does a periodic job: one process at a time, of however many share the store. A lease ends by itself when its holder does;
// the time of the last run stands beside it, so that all processes keep one rhythm, also over restarts.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { readCheckpoint, writeCheckpoint } from './sync/checkpoints.ts';

export interface LeaseNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Names this process and no other. */
  readonly holder: string;
}

export interface LeaseInput {
  readonly job: string;
  readonly everyMs: number;
}

export type LeaseAnswer =
  /** Ours until `leaseMs` after it was last kept. */
  { readonly kind: 'taken' } | { readonly kind: 'wait'; readonly untilMs: number };

const row = z.object({
  holder: z.string().nullable(),
  expires_ms: z.number(),
  /** When the last run that went well began. */
  ran_ms: z.number(),
});
type Row = z.output<typeof row>;

export const leaseMs = 60_000;
const keyOf = (job: string): string => `lease ${job}`;

export function takeLease(needs: LeaseNeeds, { job, everyMs }: LeaseInput): Promise<LeaseAnswer> {
  return change<LeaseAnswer>(needs, job, (before, nowMs) => {
    const isHeld = before.holder !== null && before.holder !== needs.holder && before.expires_ms > nowMs;
    if (isHeld) return { answer: { kind: 'wait', untilMs: Math.max(before.expires_ms, before.ran_ms + everyMs) } };
    // A clock that was ahead and was set right must not stop the job for as long as it was ahead.
    const dueMs = Math.min(before.ran_ms, nowMs) + everyMs;
    if (dueMs > nowMs) return { answer: { kind: 'wait', untilMs: dueMs } };
    const after = { ...before, holder: needs.holder, expires_ms: nowMs + leaseMs };
    return { answer: { kind: 'taken' }, after };
  });
}

/** False when it was lost meanwhile: somebody else does the job now. */
export function keepLease(needs: LeaseNeeds, job: string): Promise<boolean> {
  return change(needs, job, (before, nowMs) => {
    if (before.holder !== needs.holder) return { answer: false };
    return { answer: true, after: { ...before, expires_ms: nowMs + leaseMs } };
  });
}

/** `ranMs`: when the run began; undefined when it failed, so that it is due again at once. */
export async function endLease(needs: LeaseNeeds, job: string, ranMs: number | undefined): Promise<void> {
  await change(needs, job, (before) => {
    if (before.holder !== needs.holder) return { answer: undefined };
    return { answer: undefined, after: { holder: null, expires_ms: 0, ran_ms: ranMs ?? before.ran_ms } };
  });
}

function change<Answer>(
  { store, nowMs }: LeaseNeeds,
  job: string,
  decide: (before: Row, nowMs: number) => { readonly answer: Answer; readonly after?: Row },
): Promise<Answer> {
  return store.transaction(async (unit) => {
    // Whoever reads the row to change it holds this: of two, the second sees what the first wrote.
    await unit.engine.lockLog(unit.db);
    const before = (await readCheckpoint(unit, keyOf(job), row)) ?? { holder: null, expires_ms: 0, ran_ms: 0 };
    const { answer, after } = decide(before, nowMs());
    if (after !== undefined) await writeCheckpoint(unit, keyOf(job), after);
    return answer;
  });
}
