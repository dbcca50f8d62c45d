// All resources, in the order in which a mirror is filled: those that others refer to come first.
import { listContacts, listCustomFieldDefinitions } from '#src/upstream/endpoints.ts';
import type { Notice, Resource, ResourceName, ResourcePage } from './contract.ts';
import { eventTypes } from './event-types.ts';
import { listPages } from './list-pages.ts';
import { meetingRecaps } from './meeting-recaps.ts';
import { organizationMemberships } from './organization-memberships.ts';
import { routingForms } from './routing-forms.ts';
import { scheduledEvents } from './scheduled-events.ts';

export type { Notice, Resource, ResourceName, ResourcePage };

const customFieldDefinitions: Resource = {
  name: 'custom_field_definitions',
  feeds: ['contact.created', 'contact.updated', 'contact.deleted'],
  pages({ client }, { from, query, signal } = {}) {
    const open = (token?: string) => listCustomFieldDefinitions(client, { ...query }, { from: token, signal });
    return listPages({ name: 'custom field definitions', kind: 'custom_field_definition', open }, from);
  },
};

/** Oldest first: those added during a traversal come at its end. */
const contacts: Resource = {
  name: 'contacts',
  feeds: ['contact.created', 'contact.updated', 'contact.deleted'],
  pages({ client }, { from, query, signal } = {}) {
    const open = (token?: string) =>
      listContacts(client, { sort: 'created_at:asc', ...query }, { from: token, signal });
    return listPages({ name: 'contacts', kind: 'contact', open }, from);
  },
};

export const allResources: readonly Resource[] = [
  organizationMemberships,
  customFieldDefinitions,
  contacts,
  eventTypes,
  routingForms,
  scheduledEvents,
  meetingRecaps,
];
