// Recaps of meetings and their transcripts. A recap belongs to its user; administrators may see and change those of others.
import type { z } from 'zod';
import { recapListQuery } from '#schemas/list-query.ts';
import { recapUpdateRequest } from '#schemas/meeting-recap-request.ts';
import {
  meetingRecapResource,
  transcriptResource,
  type MeetingRecapResource,
} from '#schemas/resources/meeting-recap.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { deleteRecap, updateRecap } from '#src/sandbox/world/recaps.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { found } from '#src/sandbox/world/service.ts';
import { isAdministrator, noAccess, requestedUsers, visible, type CallContext } from './permissions.ts';
import { get, list, remove, update, type ServiceContext } from './service-operation.ts';

const reading = { scopes: ['meeting_recaps:read'], schema: meetingRecapResource } as const;
const writing = { scopes: ['meeting_recaps:write'], schema: meetingRecapResource } as const;

/** `demand` refuses a search, or says which of the recaps that it finds are shown. */
export const listMeetingRecaps = (demand: (asking: CallContext, search: RecapSearch) => RecapFilter) =>
  list('listMeetingRecaps', '/meeting_recaps', {
    ...reading,
    summary: 'The recaps of an event, a user or an organization',
    query: recapListQuery,
    run(call) {
      const { query, service, pageIn } = call;
      const isShown = demand(call, query);
      const isListed: RecapFilter = (recap) => matches(recap, query) && isShown(recap);
      return listing(service.state.recaps.page('start', pageIn(query.sort), isListed));
    },
  });

export const meetingRecapOperations = [
  listMeetingRecaps((asking, search) => {
    demandSearch(asking, search);
    return () => true;
  }),
  get('getMeetingRecap', '/meeting_recaps/{uuid}', {
    ...reading,
    summary: 'One recap, with its highlights and metadata',
    run: demandRecap,
  }),
  update('updateMeetingRecap', '/meeting_recaps/{uuid}', {
    ...writing,
    summary: 'Other highlights: summary, action items, discussion',
    body: recapUpdateRequest,
    run: (call) => updateRecap(call.service, demandRecap(call), call.body),
  }),
  remove('deleteMeetingRecap', '/meeting_recaps/{uuid}', {
    scopes: writing.scopes,
    summary: 'Deletes a recap and its transcript for good',
    run: (call) => void deleteRecap(call.service, demandRecap(call)),
  }),
  get('getMeetingRecapTranscript', '/meeting_recaps/{uuid}/transcript', {
    ...reading,
    summary: 'The full transcript',
    schema: transcriptResource,
    run: (call) => found(call.service.state.transcripts.get(demandRecap(call).uri), 'transcript'),
  }),
];

function demandRecap({ service, caller, uri }: ServiceContext): MeetingRecapResource {
  const recap = found(service.state.recaps.get(uri), 'meeting recap');
  return visible(caller, recap, [recap.user]);
}

type RecapSearch = z.output<typeof recapListQuery>;
type RecapFilter = (recap: MeetingRecapResource) => boolean;

function matches(recap: MeetingRecapResource, search: RecapSearch): boolean {
  const { event, user, organization, attendee, min_start_time = '', max_start_time = '~' } = search;
  const { start_time, attendees } = recap;
  return (
    (event ?? recap.event) === recap.event &&
    (user ?? recap.user) === recap.user &&
    (organization ?? recap.organization) === recap.organization &&
    start_time >= min_start_time &&
    start_time <= max_start_time &&
    (attendee === undefined || attendees.some(({ user_email }) => isSameAddress(user_email, attendee)))
  );
}

/** One of the three says whose recaps are meant (A26); the others narrow it. */
function demandSearch(asking: CallContext, { event, user, organization }: RecapSearch): void {
  if (event === undefined && user === undefined && organization === undefined)
    throw invalid({ message: 'name an event, a user or an organization', parameter: 'event' });
  if (user !== undefined || organization !== undefined) requestedUsers(asking, { user, organization });
  if (event !== undefined) demandEvent(asking, event, user === undefined);
}

/** `isWhole`: all recaps of the event are asked for, so none may be another's, unless the caller is an administrator. */
function demandEvent({ service: { state }, caller }: CallContext, event: string, isWhole: boolean): void {
  const { event_memberships } = found(state.scheduledEvents.get(event), 'scheduled event', 'event');
  const hosts = event_memberships.map(({ user }) => user);
  if (!hosts.some((host) => state.users.get(host)?.current_organization === caller.organization.uri))
    throw denied(noAccess);
  if (!isWhole || isAdministrator(caller)) return;
  const { uri } = caller.user;
  if (!hosts.includes(uri) || state.recaps.of('event', event).some(({ user }) => user !== uri)) throw denied(noAccess);
}
