// Bootstrap: inspect the account and its subscriptions, plan the difference, apply the plan, record the result.
import { contractOf, type EventKind } from '#schemas/events.ts';
import { applyPlan, type ApplyResult } from './apply.ts';
import { findOutages, recordOutages, resolveOutages, type OutageNeeds, type OutageInput } from './outage-gaps.ts';
import { planSubscriptions, refusalId } from './plan.ts';
import { isAcceptable } from './register.ts';
import {
  countMembers,
  findAccount,
  ownersToList,
  recapUsersOf,
  listExisting,
  type Account,
  type AccountSettings,
  type Callers,
} from './list-existing.ts';

export interface BootstrapNeeds extends OutageNeeds {
  readonly callers: Callers;
  /** Optional subscriptions the service refused: a plan is not pending for ever because of them. */
  readonly refusals: {
    read(): Promise<readonly string[]>;
    write(ids: readonly string[]): Promise<void>;
  };
  /** Throws when the mirror belongs to another organization. */
  readonly requireOrganization?: ((organization: string) => Promise<void>) | undefined;
  /** UTC with six digits. */
  readonly now: () => string;
  readonly signal?: AbortSignal | undefined;
  /** Waits between creating the new subscriptions and deleting the old ones. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface BootstrapInput {
  readonly settings: AccountSettings;
  readonly events: readonly EventKind[];
  /** `PUBLIC_URL` + `/webhooks`. */
  readonly callback: string;
  readonly keyIds: readonly [string, ...string[]];
  readonly prune: boolean;
  /** Delete every subscription of ours; nothing is desired. */
  readonly remove?: boolean;
  /** Whether to count the members whose recaps are missing: one call per hundred members. */
  readonly countsMembers: boolean;
}

export interface Inspection extends OutageInput {
  readonly account: Account;
  /** Undefined when not requested, or when the token is not allowed to count. */
  readonly members: number | undefined;
}

/** Only reads. */
export async function inspectSubscriptions(needs: BootstrapNeeds, input: BootstrapInput): Promise<Inspection> {
  const { callers } = needs;
  const { settings, callback, keyIds, prune, remove = false } = input;
  const events = remove ? [] : input.events;
  const account = await findAccount(callers, settings);
  await needs.requireOrganization?.(account.organization);
  const lastSeen = await needs.lastSeen.read();
  const candidates = recapUsersOf(callers, account);
  const owners = ownersToList(account, { recapUsers: candidates, lastSeen });
  const { existing, unlisted } = await listExisting(callers, owners);
  const isExpired = (user: string): boolean =>
    unlisted.some(({ owner, isLoginExpired }) => isLoginExpired && owner.uri === user);
  const recapUsers = candidates.filter((user) => !isExpired(user));
  const wantsRecaps = events.some((kind) => contractOf(kind).family === 'meeting-recap');
  const members = wantsRecaps && input.countsMembers ? await countMembers(callers, account) : undefined;
  const { organization, group } = account;
  const refused = await needs.refusals.read();
  const planInput = { events, organization, group, recapUsers, callback, keyIds, existing, refused, prune, remove };
  return { account, input: planInput, steps: planSubscriptions(planInput), unlisted, lastSeen, members };
}

export interface RecordedResult extends ApplyResult {
  /** Deliveries since then may be missing; the gap is already recorded. */
  readonly missingSince: string | undefined;
}

/** Applies the steps and records the result, also when it was stopped in the middle. */
export async function applyAndRecord(
  needs: BootstrapNeeds,
  inspection: Inspection,
  signingKey: string,
): Promise<RecordedResult> {
  const { callers, signal, pause } = needs;
  const { input, steps } = inspection;
  const { outages } = findOutages(inspection, needs.now());
  const applied = await applyPlan({ callers, signingKey, signal, pause }, steps, input);
  await needs.refusals.write(refusalsAfter(input.refused, applied));
  const missingSince = await recordOutages(needs, resolveOutages(inspection, { outages, applied, now: needs.now() }));
  return { ...applied, missingSince };
}

/** Deletes our subscriptions, also from what was last seen: the watch creates again only what is stored there. */
export async function deleteOurs(needs: BootstrapNeeds, { input, steps }: Inspection): Promise<RecordedResult> {
  const { callers, signal, pause } = needs;
  const applied = await applyPlan({ callers, signingKey: '', signal, pause }, steps, input);
  const deleted = applied.results.flatMap((result) => (result.kind === 'deleted' ? [result.subscription.uri] : []));
  await needs.lastSeen.update({ seen: [], deleted });
  return { ...applied, missingSince: undefined };
}

function refusalsAfter(before: readonly string[], { results }: ApplyResult): readonly string[] {
  const ids = new Set(before);
  for (const result of results) {
    if (result.kind === 'refused' && isAcceptable(result.refusal)) ids.add(refusalId(result.refusal.desired));
    if (result.kind === 'created' || result.kind === 'found') ids.delete(refusalId(result.desired));
  }
  return [...ids];
}
