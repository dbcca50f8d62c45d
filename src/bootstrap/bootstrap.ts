// Bootstrap, the whole story: who we are, what exists, what is wanted, the difference, and then the deeds.
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { applyPlan, type Applied } from './apply.ts';
import { memoryAfter, type Known, type Memory } from './known.ts';
import { planSubscriptions, refusalMark, type PlanInput, type Step } from './plan.ts';
import { isExcused } from './register.ts';
import {
  countMembers,
  findAccount,
  ownersToSurvey,
  recapUsersOf,
  surveySubscriptions,
  type Account,
  type AccountSettings,
  type Callers,
  type Unseen,
} from './survey.ts';

export interface BootstrapNeeds {
  readonly callers: Callers;
  readonly memory: Memory;
  readonly refusals: RefusalMemory;
  /** UTC with six digits. */
  readonly now: () => string;
  readonly signal?: AbortSignal | undefined;
  /** Between making the new and ending the old. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Optional subscriptions the service refused: not news every time. */
export interface RefusalMemory {
  read(): readonly string[];
  write(marks: readonly string[]): void;
}

export interface BootstrapInput {
  readonly settings: AccountSettings;
  readonly events: readonly EventKind[];
  /** `PUBLIC_URL` + `/webhooks`. */
  readonly callback: string;
  readonly keyIds: readonly [string, ...string[]];
  readonly prune: boolean;
  /** Whether to find out for how many members recaps are missing: a call for every hundred of them. */
  readonly countsMembers: boolean;
}

export interface Situation {
  readonly account: Account;
  readonly input: PlanInput;
  readonly steps: readonly Step[];
  readonly unseen: readonly Unseen[];
  readonly known: readonly Known[];
  /** Undefined when nobody asked, or the token may not count. */
  readonly members: number | undefined;
}

/** Reads only. */
export async function examineSubscriptions(needs: BootstrapNeeds, input: BootstrapInput): Promise<Situation> {
  const { callers } = needs;
  const { settings, events, callback, keyIds, prune } = input;
  const account = await findAccount(callers, settings);
  const known = await needs.memory.known();
  const asked = recapUsersOf(callers, account);
  const owners = ownersToSurvey(account, { recapUsers: asked, known });
  const { existing, unseen } = await surveySubscriptions(callers, owners);
  const isOver = (user: string): boolean => unseen.some(({ owner, isLoginOver }) => isLoginOver && owner.uri === user);
  const recapUsers = asked.filter((user) => !isOver(user));
  const wantsRecaps = events.some((kind) => contractOf(kind).family === 'meeting-recap');
  const members = wantsRecaps && input.countsMembers ? await countMembers(callers, account) : undefined;
  const { organization, group } = account;
  const refused = needs.refusals.read();
  const planInput = { events, organization, group, recapUsers, callback, keyIds, existing, refused, prune };
  return { account, input: planInput, steps: planSubscriptions(planInput), unseen, known, members };
}

/** Does what the steps say, and remembers what came of it, also when it was stopped in the middle. */
export async function carryOutPlan(
  needs: BootstrapNeeds,
  { input, steps, unseen, known }: Situation,
  signingKey: string,
): Promise<Applied> {
  const { callers, signal, pause } = needs;
  const applied = await applyPlan({ callers, signingKey, signal, pause }, steps, input);
  needs.refusals.write(refusedAfter(input.refused, applied));
  await needs.memory.remember(
    memoryAfter({
      callback: input.callback,
      known,
      existing: applied.existing,
      unseen: unseen.map(({ owner }) => owner),
      now: needs.now(),
    }),
  );
  return applied;
}

function refusedAfter(before: readonly string[], { deeds }: Applied): readonly string[] {
  const marks = new Set(before);
  for (const deed of deeds) {
    if (deed.kind === 'refused' && isExcused(deed.refusal)) marks.add(refusalMark(deed.refusal.wanted));
    if (deed.kind === 'created' || deed.kind === 'found') marks.delete(refusalMark(deed.wanted));
  }
  return [...marks];
}

/** Those that failed for a while before they were replaced: what they missed is still missing. */
export function failedSince(ended: readonly WebhookSubscription[], known: readonly Known[]): string | undefined {
  const before = new Map(known.map((one) => [one.uri, one]));
  const starts = ended.flatMap((one) => {
    const start = gapStart(one, before.get(one.uri));
    return start === undefined ? [] : [start];
  });
  return starts.toSorted()[0];
}

/** Since when deliveries of this one may be missing; undefined when it was well. */
export function gapStart(one: WebhookSubscription, before: Known | undefined): string | undefined {
  if (one.state === 'active' && one.retry_started_at == null) return undefined;
  return one.retry_started_at ?? before?.retry_started_at ?? before?.checked_at ?? one.created_at ?? undefined;
}
