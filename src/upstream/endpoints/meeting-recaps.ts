// Meeting recaps. A user sees only their own, so each call needs a client of that user.
import { recapListQuery } from '#schemas/list-query.ts';
import { meetingRecapAnswer, type MeetingRecap } from '#schemas/meeting-recap.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type FetchedRecord, type ListQuery } from '#src/upstream/request.ts';

export function listMeetingRecaps(
  client: Client,
  query: ListQuery<typeof recapListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<MeetingRecap>> {
  const path = '/meeting_recaps';
  return callForList(client, { path, asks: recapListQuery, query, reads: meetingRecapAnswer }, options);
}

export function getMeetingRecap(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<FetchedRecord<MeetingRecap>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: meetingRecapAnswer }, options);
}
