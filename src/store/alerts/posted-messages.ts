// The direct messages of alerts: where each was posted, so that it is posted once and can be edited. They hold ids, and nothing about a person.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { writeColumns } from '#src/store/rows.ts';
import { lockAlerts, readAlerts, type Alert } from './alert-rows.ts';

const postedMessage = z.object({
  /** The idempotency key of the message. */
  message: z.string(),
  user: z.string(),
  channel: z.string(),
  ts: z.string(),
  /** The URIs of those whom it asks about. */
  invitees: z.array(z.string()),
});
export type PostedMessage = z.output<typeof postedMessage>;

export const postedOf = ({ posted }: Pick<Alert, 'posted'>): readonly PostedMessage[] =>
  z.array(postedMessage).catch([]).parse(posted);

/** The alert of a message: its key begins with the id, a hash. */
export const alertOfMessage = async (store: Store, messageId: string): Promise<Alert | undefined> =>
  (await readAlerts(store, [messageId.slice(0, 32)]))[0];

export const addPosted = (store: Store, posted: PostedMessage): Promise<void> =>
  store.transaction(async (unit) => {
    const rows = await lockAlerts(unit, [posted.message.slice(0, 32)]);
    await writeColumns(unit, 'alerts', {
      columns: ['posted'],
      rows: rows.map((alert) => ({ id: alert.id, posted: [...postedOf(alert), posted] })),
    });
  });
