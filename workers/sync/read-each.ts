// Reads lists one after the other. One that cannot be reached is read again after the others: patiently in an outage, and briefly
// where the service answers and only this list fails.
import { isTransient } from '#src/base/errors.ts';
import type { Client } from '#src/upstream/client.ts';
import { retryBudgets, type RetryBudget } from '#src/upstream/retry-budgets.ts';
import { isReadFailure } from './resources/left-out.ts';
import type { Resource } from './resources/registry.ts';
import type { Sources } from './sources.ts';

export interface ListOutcome {
  /** The service failed or did not answer. */
  readonly isUnreachable: boolean;
}

/** Returns the outcomes in the order of the lists. */
export async function readEach<List extends { readonly resource: Resource }, Outcome extends ListOutcome>(
  sources: Sources,
  lists: readonly List[],
  read: (list: List, sources: Sources) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const briefly = withRetryBudget(sources, retryBudgets.oneOfMany);
  const outcomes = new Map<List, Outcome>();
  for (const list of lists) outcomes.set(list, await read(list, briefly));
  const answered = lists.find((list) => outcomes.get(list)?.isUnreachable === false);
  for (const list of lists.filter((one) => outcomes.get(one)?.isUnreachable)) {
    const isUp = answered !== undefined && (await answers(answered.resource, briefly));
    outcomes.set(list, await read(list, isUp ? briefly : sources));
  }
  return [...outcomes.values()];
}

async function answers(resource: Resource, sources: Sources): Promise<boolean> {
  try {
    await resource.pages(sources, { isBrief: true }).next();
    return true;
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    return !isTransient(error);
  }
}

function withRetryBudget({ client, users, ...rest }: Sources, retryBudget: RetryBudget): Sources {
  const bounded = (one: Client): Client => ({
    origin: one.origin,
    call: (call, options) => one.call(call, { retryBudget, ...options }),
    get waitedMs() {
      return one.waitedMs;
    },
  });
  return { ...rest, client: bounded(client), users: users.map((user) => ({ ...user, client: bounded(user.client) })) };
}
