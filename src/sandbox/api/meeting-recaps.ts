// Recaps of meetings and their transcripts. A recap belongs to its user; administrators may see and change those of others.
import { recapListQuery } from '#schemas/list-query.ts';
import { recapUpdateRequest } from '#schemas/meeting-recap-request.ts';
import { meetingRecapResource, transcriptResource } from '#schemas/resources/meeting-recap.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import { matchesRecap, type RecapSearch, deleteRecap, updateRecap } from '#src/sandbox/world/recaps.ts';
import type { State } from '#src/sandbox/world/state.ts';
import { listing } from '#src/http/pagination.ts';
import { isAdministrator, noAccess, requestedUsers } from './permissions.ts';
import { defineOperation, type Caller, type ServiceContext } from './service-operation.ts';

export const meetingRecapOperations = [
  defineOperation({
    id: 'listMeetingRecaps',
    method: 'GET',
    path: '/meeting_recaps',
    summary: 'The recaps of an event, a user or an organization',
    scopes: ['meeting_recaps:read'],
    query: recapListQuery,
    answers: 'collection',
    schema: meetingRecapResource,
    run({ service: { state }, caller, query, pageIn }) {
      demandSearch(state, caller, query);
      return listing(
        state.recaps.page('start', pageIn(query.sort), (recap) => matchesRecap(recap, query)),
        (recap) => recap,
      );
    },
  }),
  defineOperation({
    id: 'getMeetingRecap',
    method: 'GET',
    path: '/meeting_recaps/{uuid}',
    summary: 'One recap, with its highlights and metadata',
    scopes: ['meeting_recaps:read'],
    answers: 'resource',
    schema: meetingRecapResource,
    run: demandRecap,
  }),
  defineOperation({
    id: 'updateMeetingRecap',
    method: 'PATCH',
    path: '/meeting_recaps/{uuid}',
    summary: 'Other highlights: summary, action items, discussion',
    scopes: ['meeting_recaps:write'],
    body: recapUpdateRequest,
    answers: 'resource',
    schema: meetingRecapResource,
    run: (call) => updateRecap(call.service, demandRecap(call), call.body),
  }),
  defineOperation({
    id: 'deleteMeetingRecap',
    method: 'DELETE',
    path: '/meeting_recaps/{uuid}',
    summary: 'Deletes a recap and its transcript for good',
    scopes: ['meeting_recaps:write'],
    answers: 'nothing',
    run: (call) => void deleteRecap(call.service, demandRecap(call)),
  }),
  defineOperation({
    id: 'getMeetingRecapTranscript',
    method: 'GET',
    path: '/meeting_recaps/{uuid}/transcript',
    summary: 'The full transcript',
    scopes: ['meeting_recaps:read'],
    answers: 'resource',
    schema: transcriptResource,
    run(call) {
      const transcript = call.service.state.transcripts.get(demandRecap(call).uri);
      if (transcript === undefined) throw notFound('No such transcript.');
      return transcript;
    },
  }),
] as const;

function demandRecap({ service, caller, uri }: ServiceContext): MeetingRecapResource {
  const recap = service.state.recaps.get(uri);
  if (recap === undefined) throw notFound('No such meeting recap.');
  const isOwn = recap.user === caller.user.uri;
  if (recap.organization !== caller.organization.uri || !(isOwn || isAdministrator(caller))) throw denied(noAccess);
  return recap;
}

/** One of the three says whose recaps are meant (A26); the others narrow it. */
function demandSearch(state: State, caller: Caller, search: RecapSearch): void {
  const { event, user, organization } = search;
  if (event === undefined && user === undefined && organization === undefined)
    throw invalid({ message: 'name an event, a user or an organization', parameter: 'event' });
  if (user !== undefined || organization !== undefined) requestedUsers(state, caller, { user, organization });
  if (event !== undefined) demandEvent(state, caller, { event, isWhole: user === undefined });
}

/** `isWhole`: all recaps of the event are asked for, so none may be another's, unless the caller is an administrator. */
function demandEvent(
  state: State,
  caller: Caller,
  { event, isWhole }: { readonly event: string; readonly isWhole: boolean },
): void {
  const hosts = state.scheduledEvents.get(event)?.event_memberships.map(({ user }) => user);
  if (hosts === undefined) throw notFound('No such scheduled event.', 'event');
  if (!hosts.some((host) => state.users.get(host)?.current_organization === caller.organization.uri))
    throw denied(noAccess);
  if (!isWhole || isAdministrator(caller)) return;
  const { uri } = caller.user;
  if (!hosts.includes(uri) || state.recaps.of('event', event).some(({ user }) => user !== uri)) throw denied(noAccess);
}
