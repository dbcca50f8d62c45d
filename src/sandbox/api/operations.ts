// Every operation of the service.
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import { contactOperations } from './contacts.ts';
import { eventTypeOperations } from './event-types.ts';
import { meetingRecapOperations } from './meeting-recaps.ts';
import { groupOperations, organizationOperations, userOperations } from './organizations.ts';
import { routingFormOperations } from './routing-forms.ts';
import { scheduledEventOperations } from './scheduled-events.ts';
import type { ServiceOperation } from './service-operation.ts';
import { webhookSubscriptionOperations } from './webhook-subscriptions.ts';

export const operationsUnder = (options: Pick<ServiceOptions, 'eventTypes'>): readonly ServiceOperation[] => [
  ...userOperations,
  ...organizationOperations,
  ...contactOperations,
  ...meetingRecapOperations,
  ...routingFormOperations,
  ...groupOperations,
  ...scheduledEventOperations,
  ...eventTypeOperations,
  ...webhookSubscriptionOperations(options),
];
