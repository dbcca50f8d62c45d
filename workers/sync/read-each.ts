// Reads lists one after the other. One that cannot be reached is read again after the others: patiently in an outage, and briefly
// where the service answers and only this list fails.
import type { SlotstreamError } from '#src/base/errors.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { answers } from './resources/left-out.ts';
import type { Resource } from './resources/registry.ts';
import type { Sources } from './sources.ts';

export interface ListOutcome {
  /** The service failed or did not answer. */
  readonly isUnreachable: boolean;
  /** Why its rest could not be read. */
  readonly error?: SlotstreamError;
  /** Part of it was read, however. */
  readonly isAnswered?: boolean;
  /** It was not to be read. */
  readonly isSkipped?: boolean;
}

export interface ReadingNeeds {
  readonly sources: Sources;
  readonly signal?: AbortSignal | undefined;
}

/** `isLast`: it is not read again in this run. Returns the outcomes in the order of the lists. */
export async function readEach<List extends { readonly resource: Resource }, Outcome extends ListOutcome>(
  { sources, signal }: ReadingNeeds,
  lists: readonly List[],
  read: (list: List, sources: Sources, isLast: boolean) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const briefly = withShortRetries(sources);
  const outcomes = new Map<List, Outcome>();
  for (const list of lists) outcomes.set(list, await read(list, briefly, false));
  const isAnyAnswered = outcomes.values().some((outcome) => outcome.isAnswered);
  const answered = lists.find((list) => outcomes.get(list)?.isUnreachable === false);
  for (const list of lists.filter((one) => outcomes.get(one)?.isUnreachable)) {
    if (signal?.aborted === true) break;
    const open = () => (answered ?? list).resource.pages(briefly, { isBrief: true, signal });
    const isUp = answered !== undefined && (await answers({ open }));
    outcomes.set(list, await read(list, isUp ? briefly : sources, true));
  }
  const all = [...outcomes.values()];
  if (!isAnyAnswered) throwIfNothingAnswers(all);
  return all;
}

/** A token that is not accepted at all, or a service that does not answer, is no list that was left out. */
function throwIfNothingAnswers(outcomes: readonly ListOutcome[]): void {
  const tried = outcomes.filter(({ isSkipped }) => isSkipped !== true);
  const [first] = tried;
  const isNothing = tried.every(({ error }) => error !== undefined);
  if (isNothing && first?.error && (first.isUnreachable || isStatus(first.error, 401))) throw first.error;
}

/** For one of many lists: the others are read meanwhile, or by the next run. */
export function withShortRetries({ client, users, ...rest }: Sources): Sources {
  const bounded = (one: Client): Client => ({
    origin: one.origin,
    call: (call, options) => one.call(call, { retryBudget: retryBudgets.oneOfMany, ...options }),
  });
  return { ...rest, client: bounded(client), users: users.map((user) => ({ ...user, client: bounded(user.client) })) };
}
