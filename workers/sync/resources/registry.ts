// All resources, in the order in which a mirror is filled: those that others refer to come first.
import { contacts } from './contacts.ts';
import type { Notice, Resource, ResourceName, ResourcePage } from './contract.ts';
import { customFieldDefinitions } from './custom-field-definitions.ts';
import { eventTypes } from './event-types.ts';
import { meetingRecaps } from './meeting-recaps.ts';
import { organizationMemberships } from './organization-memberships.ts';
import { routingForms } from './routing-forms.ts';
import { scheduledEvents } from './scheduled-events.ts';

export type { Notice, Resource, ResourceName, ResourcePage };

export const allResources: readonly Resource[] = [
  organizationMemberships,
  customFieldDefinitions,
  contacts,
  eventTypes,
  routingForms,
  scheduledEvents,
  meetingRecaps,
];
