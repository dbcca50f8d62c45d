// Event types, and when they can be booked.
import type { z } from 'zod';
import { availableTime, eventType, type AvailableTime, type EventType } from '#schemas/event-type.ts';
import { availableTimesQuery, eventTypeListQuery } from '#schemas/list-query.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import { pagesOf, type ApiPage, type PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

/** One of organization and user must be named. */
export function listEventTypes(
  client: Client,
  query: ListQuery<typeof eventTypeListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<EventType>> {
  return callForList(client, { path: '/event_types', asks: eventTypeListQuery, query, reads: eventType }, options);
}

export function getEventType(client: Client, uri: string, options?: CallOptions): Promise<Found<EventType>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: eventType }, options);
}

/** Within at most 31 days. */
export function listAvailableTimes(
  client: Client,
  query: z.input<typeof availableTimesQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<AvailableTime>> {
  const path = '/event_type_available_times';
  return pagesOf(
    client,
    { path, query: checked(availableTimesQuery, query, `GET ${path}`), reads: availableTime },
    options,
  );
}
