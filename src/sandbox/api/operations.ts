// Every operation of the service. What an option changes about a request is decided here, for whoever checks or publishes it.
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import { availableTimeOperations } from './available-times.ts';
import { contactWriteOperations } from './contact-writes.ts';
import { contactOperations } from './contacts.ts';
import { customFieldOperations } from './custom-fields.ts';
import { eventTypeOperations } from './event-types.ts';
import { groupOperations } from './groups.ts';
import { invitationOperations } from './invitations.ts';
import { inviteeOperations } from './invitees.ts';
import { meetingRecapOperations } from './meeting-recaps.ts';
import type { Operation } from './operation.ts';
import { organizationOperations } from './organizations.ts';
import { routingFormOperations } from './routing-forms.ts';
import { scheduledEventOperations } from './scheduled-events.ts';
import { userOperations } from './users.ts';
import { webhookSubscriptionOperations } from './webhook-subscriptions.ts';

export const operationsUnder = (options: Pick<ServiceOptions, 'eventTypes'>): readonly Operation[] => [
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

/** As the specification has them. */
export const operations = operationsUnder({ eventTypes: false });
