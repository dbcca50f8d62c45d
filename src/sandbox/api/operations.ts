// Every operation of the service.
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import { contactOperations, contactWriteOperations, customFieldOperations } from './contacts.ts';
import { availableTimeOperations, eventTypeOperations } from './event-types.ts';
import { groupOperations } from './groups.ts';
import { inviteeOperations } from './invitees.ts';
import { meetingRecapOperations } from './meeting-recaps.ts';
import { invitationOperations, organizationOperations } from './organizations.ts';
import { routingFormOperations } from './routing-forms.ts';
import { scheduledEventOperations } from './scheduled-events.ts';
import { userOperations } from './users.ts';
import { webhookSubscriptionOperations } from './webhook-subscriptions.ts';
import type { ServiceOperation } from './service-operation.ts';

export const operationsUnder = (options: Pick<ServiceOptions, 'eventTypes'>): readonly ServiceOperation[] => [
  ...userOperations,
  ...organizationOperations,
  ...invitationOperations,
  ...contactOperations,
  ...contactWriteOperations,
  ...customFieldOperations,
  ...meetingRecapOperations,
  ...routingFormOperations,
  ...groupOperations,
  ...inviteeOperations,
  ...scheduledEventOperations,
  ...eventTypeOperations,
  ...availableTimeOperations,
  ...webhookSubscriptionOperations(options),
];

/**
 * Without options, as the specification documents them.
 *
 * @internal Exported for tests.
 */
export const operations = operationsUnder({ eventTypes: false });
