// Every operation of the admin listener that reads the mirror, and the application made of them. Loaded when first asked for: most
// processes are never asked.
import { createCursors } from '#src/http/cursor.ts';
import { alertOperations } from './alerts.ts';
import { contactOperations } from './contacts.ts';
import { deliveryOperations } from './deliveries.ts';
import { feedConsumerOperations } from './feed-consumers.ts';
import { feedOperations } from './feed.ts';
import { inviteeOperations } from './invitees.ts';
import type { Operation, ReaderNeeds } from './operation.ts';
import { quarantineOperations } from './quarantine.ts';
import { createRouter } from './router.ts';
import { scheduledEventOperations } from './scheduled-events.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { whyOperations } from './why.ts';

const operationsFor = (needs: ReaderNeeds): readonly Operation[] => [
  ...feedOperations(needs),
  ...feedConsumerOperations(needs),
  ...contactOperations(needs),
  ...scheduledEventOperations(needs),
  ...inviteeOperations(needs),
  ...whyOperations(needs),
  ...deliveryOperations(needs),
  ...quarantineOperations(needs),
  ...subscriptionOperations(needs),
  ...alertOperations(needs),
];

export interface ReadApiNeeds extends ReaderNeeds {
  /** Signs page tokens. */
  readonly secret: string;
  /** Told which audited operation was done. */
  acted?(operation: string): void;
}

export function createReadApi({ secret, acted, ...needs }: ReadApiNeeds) {
  const cursors = createCursors(secret, { nowMs: () => needs.clock() });
  const operations = operationsFor(needs);
  const { fetch, request } = createRouter({ cursors, report: needs.report, ...(acted && { acted }) }, operations);
  return { operations, fetch, request };
}
