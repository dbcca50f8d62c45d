// The plan of `bootstrap` for the dashboard: what it would change. The command line shares the advice and the records of old keys.
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import type { Config } from '#src/config/load.ts';
import type { Store } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { adviseOperator, isMadeWith } from '#src/subscriptions/advisories.ts';
import type { ApplyResult } from '#src/subscriptions/apply.ts';
import { inspectSubscriptions, type Inspection } from '#src/subscriptions/bootstrap.ts';
import { isOurs, ownerOf } from '#src/subscriptions/callback.ts';
import type { ChosenKeys } from '#src/subscriptions/from-config.ts';
import { reportPlan } from '#src/subscriptions/report.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { prepare } from './subscription-watch.ts';

interface PlanNeeds {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Date;
}

/** Deliveries in transit take less time to a healthy receiver. */
export const arrivalMs = 2_000;

/** Reads the subscriptions of the service and plans the difference; changes nothing. */
export async function planSubscriptions(needs: PlanNeeds) {
  const { situation, keys } = await inspect(needs);
  const { existing, callback } = situation.input;
  const notes = notesOn(situation, {
    ...needs,
    keys,
    existing,
    now: needs.now(),
    oldKeyEndedAt: await endOfOldKey(needs),
  });
  return {
    ...reportPlan(situation, notes),
    subscriptions: existing
      .filter((one) => isOurs(callback, one))
      .map((one) => ({
        callback_url: one.callback_url ?? null,
        state: one.state ?? null,
        scope: ownerOf(one).scope,
        events: one.events ?? [],
        retry_started_at: one.retry_started_at ?? null,
      })),
  };
}

async function inspect({ config, store, now }: PlanNeeds) {
  // A person waits for the answer.
  const upstream = { retryBudget: retryBudgets.short, reserveShare: 0 };
  const { bootstrapNeeds, input, keys } = prepare({ config, store, now, upstream });
  return { situation: await inspectSubscriptions(bootstrapNeeds, input), keys };
}

/** When the last subscription that was made with an old signing key was deleted. */
export const oldKeyEnd = keyValue('old_signing_key', z.object({ ended_at: z.string() }));

const endOfOldKey = async ({ store }: Pick<PlanNeeds, 'store'>): Promise<string | undefined> =>
  (await readValue(store, oldKeyEnd))?.ended_at;

/** Returns when the last subscription made with an old key was deleted, if that was now. */
export async function recordOldKeyEnd(
  { store, now }: Pick<PlanNeeds, 'store' | 'now'>,
  { situation, applied }: { readonly situation: Inspection; readonly applied: ApplyResult },
): Promise<string | undefined> {
  const [, ...old] = situation.input.keyIds;
  if (!applied.results.some((result) => result.kind === 'deleted' && isMadeWith(result.subscription, old)))
    return undefined;
  const ended_at = now().toISOString();
  await store.transaction((unit) => writeValue(unit, oldKeyEnd, { ended_at }));
  return ended_at;
}

interface NoteInput {
  readonly config: Config;
  readonly keys: ChosenKeys;
  /** What exists now: before a plan, or after it was applied. */
  readonly existing: ApplyResult['existing'];
  readonly oldKeyEndedAt: string | undefined;
  readonly now: Date;
}

export function notesOn(
  situation: Inspection,
  { config, keys, existing, oldKeyEndedAt, now }: NoteInput,
): readonly string[] {
  return adviseOperator({
    ...situation,
    existing,
    usesOAuth: config.api.oauth !== undefined,
    keySource: keys.source,
    nowMs: now.getTime(),
    oldKeyEndedMs: oldKeyEndedAt === undefined ? undefined : Date.parse(oldKeyEndedAt),
    leftovers: situation.steps.filter(({ kind }) => kind === 'leftover').length,
  });
}

export const missingNote = (since: string): string =>
  `Deliveries since ${since} may be missing. A running process repairs this by itself; otherwise: ${slotstream} reconcile --repair`;
