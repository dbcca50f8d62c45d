// Controls of meeting recaps: creating, changing and deleting them as the note taker and its user would.
import { z } from 'zod';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { omittable, timestamp, uri } from '#schemas/wire.ts';
import { hourMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { invalid, notFound } from '#src/http/http-error.ts';
import { createRecap, deleteRecap, updateRecap, type ExternalMeeting } from '#src/sandbox/world/recaps.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { State } from '#src/sandbox/world/state.ts';
import { defineControl } from './control.ts';

const highlight = z.string().nullable().optional();
const texts = { summary_md: highlight, action_items_md: highlight, discussion_md: highlight, notes: highlight };

const attendee = z.strictObject({ host: z.boolean().default(false), user_email: z.email(), user_name: z.string() });

export const meetingRecapControls = [
  defineControl({
    id: 'postMeetingRecaps',
    method: 'POST',
    path: '/meeting_recaps',
    summary: 'Writes a recap: of a scheduled event, or else of an external meeting of the owner',
    body: z.strictObject({ event: omittable(uri), user: omittable(uri), ...texts }),
    answers: 'resource',
    run({ service, body }) {
      const { summary_md: summary, action_items_md: actionItems, discussion_md: discussion, notes } = body;
      const event = body.event === undefined ? undefined : demandEvent(service.state, body.event);
      const user = userOf(service.state, event, body.user);
      const meeting = event ?? externalMeeting(service, user);
      return createRecap(service, { user, event: meeting, summary, actionItems, discussion, notes });
    },
  }),
  defineControl({
    id: 'patchMeetingRecaps',
    method: 'PATCH',
    path: '/meeting_recaps',
    summary: 'Changes a recap; notes, attendees and timing change without an event',
    body: z.strictObject({
      uri,
      ...texts,
      share_link: omittable(z.boolean()),
      attendees: omittable(z.array(attendee)),
      start_time: omittable(timestamp.refine((start) => start < '9999', 'too far ahead to have an end')),
    }),
    answers: 'resource',
    run: ({ service, body: { uri: recapUri, ...changes } }) =>
      updateRecap(service, demandRecap(service.state, recapUri), changes),
  }),
  defineControl({
    id: 'deleteMeetingRecaps',
    method: 'DELETE',
    path: '/meeting_recaps',
    summary: 'Deletes a recap and its transcript',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => deleteRecap(service, demandRecap(service.state, body.uri)),
  }),
] as const;

function demandEvent(state: State, eventUri: string): ScheduledEventResource {
  const event = state.scheduledEvents.get(eventUri);
  if (event === undefined) throw notFound('No such scheduled event.', 'event');
  return event;
}

function demandRecap(state: State, recapUri: string): MeetingRecapResource {
  const recap = state.recaps.get(recapUri);
  if (recap === undefined) throw notFound('No such meeting recap.', 'uri');
  return recap;
}

/** The one named, else the first host, else the owner of the first organization. */
function userOf(state: State, event: ScheduledEventResource | undefined, named: string | undefined): string {
  const host = event?.event_memberships[0]?.user;
  const user = state.users.get(named ?? host ?? ownerOf(state));
  if (user === undefined) throw notFound('No such user.', 'user');
  const organization = host === undefined ? undefined : state.users.get(host)?.current_organization;
  if (organization !== undefined && user.current_organization !== organization)
    throw invalid({ message: 'not of the organization that hosts the event', parameter: 'user' });
  return user.uri;
}

function ownerOf(state: State): string {
  const [organization = ''] = state.organizations.keys();
  const members = state.memberships.of('organization', organization);
  return (members.find(({ role }) => role === 'owner') ?? members[0])?.user ?? '';
}

/** A meeting outside the service that ended half an hour ago. */
function externalMeeting({ state, clock }: Service, user: string): ExternalMeeting {
  const host = state.users.get(user);
  const endMs = clock.nowMs() - 30 * minuteMs;
  return {
    name: 'Conversation elsewhere',
    start_time: instantOf(endMs - hourMs),
    end_time: instantOf(endMs),
    location: null,
    attendees: host === undefined ? [] : [{ host: true, user_email: host.email, user_name: host.name }],
  };
}
