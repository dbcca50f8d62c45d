// Everything that can be listed, in the order in which a mirror is filled: what others refer to comes first.
import { contacts } from './resources/contacts.ts';
import type { Notice, Resource, ResourceName, WalkPage } from './resources/contract.ts';
import { customFieldDefinitions } from './resources/custom-field-definitions.ts';
import { eventTypes } from './resources/event-types.ts';
import { meetingRecaps } from './resources/meeting-recaps.ts';
import { organizationMemberships } from './resources/organization-memberships.ts';
import { routingForms } from './resources/routing-forms.ts';
import { scheduledEvents } from './resources/scheduled-events.ts';

export type { Notice, Resource, ResourceName, WalkPage };

export const catalogue: readonly Resource[] = [
  organizationMemberships,
  customFieldDefinitions,
  contacts,
  eventTypes,
  routingForms,
  scheduledEvents,
  meetingRecaps,
];
