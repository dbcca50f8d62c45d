// Event types of the organization, oldest first: renaming one does not change its position.
import { listEventTypes } from '#src/upstream/endpoints/event-types.ts';
import type { Resource } from './contract.ts';
import { listPages } from './list-pages.ts';

export const eventTypes: Resource = {
  name: 'event_types',
  feeds: ['event_type.created', 'event_type.updated', 'event_type.deleted'],
  pages: ({ client, organization }, { from, query, signal } = {}) =>
    listPages(
      {
        name: 'event types',
        kind: 'event_type',
        open: (token) =>
          listEventTypes(client, { organization, sort: 'created_at:asc', ...query }, { from: token, signal }),
      },
      from,
    ),
};
