// Meeting recaps: each user sees their own, so each needs a client of that user.
import type { z } from 'zod';
import { recapListQuery } from '#schemas/list-query.ts';
import { recapUpdateRequest } from '#schemas/meeting-recap-request.ts';
import { meetingRecapAnswer, transcript, type MeetingRecap, type Transcript } from '#schemas/meeting-recap.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

export function listMeetingRecaps(
  client: Client,
  query: ListQuery<typeof recapListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<MeetingRecap>> {
  const path = '/meeting_recaps';
  return callForList(client, { path, asks: recapListQuery, query, reads: meetingRecapAnswer }, options);
}

export function getMeetingRecap(client: Client, uri: string, options?: CallOptions): Promise<Found<MeetingRecap>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: meetingRecapAnswer }, options);
}

export interface RecapChange {
  readonly uri: string;
  /** Only what changes; null clears. */
  readonly changes: z.input<typeof recapUpdateRequest>;
}

export function updateMeetingRecap(
  client: Client,
  { uri, changes }: RecapChange,
  options?: CallOptions,
): Promise<Found<MeetingRecap>> {
  const body = checked(recapUpdateRequest, changes, 'PATCH /meeting_recaps');
  return callForRecord(client, { method: 'PATCH', path: uri, body, reads: meetingRecapAnswer }, options);
}

export async function deleteMeetingRecap(client: Client, uri: string, options?: CallOptions): Promise<void> {
  await client.call({ method: 'DELETE', path: uri }, options);
}

export function getTranscript(client: Client, recap: string, options?: CallOptions): Promise<Found<Transcript>> {
  return callForRecord(client, { method: 'GET', path: `${recap}/transcript`, reads: transcript }, options);
}
