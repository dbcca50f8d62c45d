// Our webhook subscriptions as of the last time they were listed.
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Store } from './contract.ts';
import { decodeRow, deleteRows, writeRows } from './rows.ts';

/** `checked_at`: when it was last listed; for a disabled one, when it was last seen active. */
export interface KnownSubscription extends WebhookSubscription {
  readonly checked_at: string;
}

export async function readSubscriptions(store: Store): Promise<readonly KnownSubscription[]> {
  const rows = await store.db.selectFrom('webhook_subscriptions').selectAll().execute();
  return rows.map((stored) => {
    const { events, ...row } = decodeRow(store.engine, 'webhook_subscriptions', stored);
    return { ...row, events: Array.isArray(events) ? events.filter((each) => typeof each === 'string') : null };
  });
}

/** Subscriptions that are neither `seen` nor `deleted` stay unchanged. */
export async function writeSubscriptions(
  store: Store,
  { seen, deleted }: { readonly seen: readonly KnownSubscription[]; readonly deleted: readonly string[] },
): Promise<void> {
  await store.transaction(async (unit) => {
    await deleteRows(unit, 'webhook_subscriptions', 'uri', deleted);
    // Sorted, to avoid deadlocks between concurrent writers of the same rows.
    const sorted = seen.toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
    await writeRows(
      unit,
      'webhook_subscriptions',
      sorted.map((known) => ({ ...known, events: known.events ?? null })),
    );
  });
}
