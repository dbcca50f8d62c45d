// Event types.
import { eventType, type EventType } from '#schemas/event-type.ts';
import { eventTypeListQuery } from '#schemas/list-query.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type FetchedRecord, type ListQuery } from '#src/upstream/request.ts';

/** The query must name an organization or a user. */
export function listEventTypes(
  client: Client,
  query: ListQuery<typeof eventTypeListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<EventType>> {
  return callForList(client, { path: '/event_types', asks: eventTypeListQuery, query, reads: eventType }, options);
}

export function getEventType(client: Client, uri: string, options?: CallOptions): Promise<FetchedRecord<EventType>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: eventType }, options);
}
