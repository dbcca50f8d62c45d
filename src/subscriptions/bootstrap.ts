// Bootstrap, the whole story: who we are, what exists, what is wanted, the difference, and then the deeds.
import { contractOf, type EventKind } from '#schemas/events.ts';
import { applyPlan, type Applied } from './apply.ts';
import { aftermathOf, lossesIn, settle, type SettleNeeds, type Shown } from './outage-gaps.ts';
import { planSubscriptions, refusalMark } from './plan.ts';
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
} from './list-existing.ts';

export interface BootstrapNeeds extends SettleNeeds {
  readonly callers: Callers;
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

export interface Situation extends Shown {
  readonly account: Account;
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

export interface CarriedOut extends Applied {
  /** Deliveries since then may be missing: noted already. */
  readonly missingSince: string | undefined;
}

/** Does what the steps say, and remembers what came of it, also when it was stopped in the middle. */
export async function carryOutPlan(
  needs: BootstrapNeeds,
  situation: Situation,
  signingKey: string,
): Promise<CarriedOut> {
  const { callers, signal, pause } = needs;
  const { input, steps } = situation;
  const { lost } = lossesIn(situation, needs.now());
  const applied = await applyPlan({ callers, signingKey, signal, pause }, steps, input);
  needs.refusals.write(refusedAfter(input.refused, applied));
  const missingSince = await settle(needs, aftermathOf(situation, { lost, applied, now: needs.now() }));
  return { ...applied, missingSince };
}

function refusedAfter(before: readonly string[], { deeds }: Applied): readonly string[] {
  const marks = new Set(before);
  for (const deed of deeds) {
    if (deed.kind === 'refused' && isExcused(deed.refusal)) marks.add(refusalMark(deed.refusal.wanted));
    if (deed.kind === 'created' || deed.kind === 'found') marks.delete(refusalMark(deed.wanted));
  }
  return [...marks];
}
