// Recaps of meetings, hosted here or elsewhere: written, changed and deleted. Subscribers hear of a new recap, of other
// highlights, of a share link made or removed, and of the end; of notes, attendees and timing they hear nothing.
import { isDeepStrictEqual } from 'node:util';
import type { MeetingRecapResource, RecapEventResource } from '#schemas/resources/meeting-recap.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import { notFound } from '#src/http/http-error.ts';
import { createdPayload, deletedPayload, updatedPayload } from './recap-payload.ts';
import type { DeletedRecap } from './recap-payload.ts';
import { makeHighlights, makeTranscript } from './recap-words.ts';
import { newUri } from './service.ts';
import type { Service } from './service.ts';
import type { State } from './state.ts';

/** A meeting that is on no calendar of the service. */
export type ExternalMeeting = Omit<RecapEventResource, 'uri'>;

type Text = string | null | undefined;

export interface RecapPlan {
  /** The user it belongs to, by URI. */
  readonly user: string;
  readonly event: ScheduledEventResource | ExternalMeeting;
  /** Null is none; absent ones are made up. */
  readonly summary?: Text;
  readonly actionItems?: Text;
  readonly discussion?: Text;
  readonly notes?: Text;
  /** When it was written; absent: now. */
  readonly at?: string;
}

export function createRecap(service: Service, plan: RecapPlan): MeetingRecapResource {
  const { state, random, options } = service;
  const owner = state.users.get(plan.user);
  if (owner === undefined) throw notFound('No such user.', 'user');
  const uri = newUri(service, 'meeting_recaps');
  const at = plan.at ?? service.clock.tick();
  const event = meetingOf(state, plan.event);
  const written = makeHighlights(random);
  const segments = makeTranscript(random, event.attendees);
  const recap: MeetingRecapResource = {
    uri,
    user: owner.uri,
    organization: owner.current_organization,
    event,
    transcript: `${uri}/transcript`,
    summary_md: orElse(plan.summary, written.summary),
    action_items_md: orElse(plan.actionItems, written.actionItems),
    discussion_md: orElse(plan.discussion, written.discussion),
    notes: plan.notes ?? null,
    share_link: null,
    created_at: at,
    updated_at: at,
  };
  state.recaps.put(recap);
  state.transcripts.set(uri, { uri: recap.transcript, recap: uri, language: 'en', segments });
  tell(service, recap, { event: 'meeting_recap.created', at, payload: createdPayload(recap, options) });
  return recap;
}

/** By the names of the record; `share_link` says whether there is to be one. */
export interface RecapChanges {
  readonly summary_md?: Text;
  readonly action_items_md?: Text;
  readonly discussion_md?: Text;
  readonly notes?: Text;
  readonly share_link?: boolean | undefined;
  readonly attendees?: RecapEventResource['attendees'] | undefined;
  /** The meeting keeps its length. */
  readonly start_time?: string | undefined;
}

/** What is told of when it changes. */
const announced = ['summary_md', 'action_items_md', 'discussion_md', 'share_link'] as const;

export function updateRecap(
  service: Service,
  recap: MeetingRecapResource,
  changes: RecapChanges,
): MeetingRecapResource {
  const changed: MeetingRecapResource = {
    ...recap,
    event: {
      ...moved(recap.event, changes.start_time),
      attendees: changes.attendees ?? recap.event.attendees,
    },
    summary_md: orElse(changes.summary_md, recap.summary_md),
    action_items_md: orElse(changes.action_items_md, recap.action_items_md),
    discussion_md: orElse(changes.discussion_md, recap.discussion_md),
    notes: orElse(changes.notes, recap.notes),
    share_link: shareLink(service, recap.share_link, changes.share_link),
  };
  if (isDeepStrictEqual(changed, recap)) return recap;
  const at = service.clock.tick();
  const updated = { ...changed, updated_at: at };
  service.state.recaps.put(updated);
  if (announced.some((field) => updated[field] !== recap[field])) {
    const payload = updatedPayload(updated, service.options);
    tell(service, updated, { event: 'meeting_recap.updated', at, payload });
  }
  return updated;
}

export function deleteRecap(service: Service, recap: MeetingRecapResource): DeletedRecap {
  const { state, clock, options } = service;
  state.recaps.delete(recap.uri);
  state.transcripts.delete(recap.uri);
  const deleted = { uri: recap.uri, deleted_at: clock.tick() };
  const payload = deletedPayload(deleted, options);
  tell(service, recap, { event: 'meeting_recap.deleted', at: deleted.deleted_at, payload });
  return deleted;
}

interface Telling {
  readonly event: EventKind;
  readonly at: string;
  readonly payload: JsonObject;
}

/** A recap belongs to its user alone, whoever else was in the meeting. */
function tell(service: Service, { user, organization }: MeetingRecapResource, telling: Telling): void {
  service.tell({ ...telling, organization, users: [user] });
}

/** Null is a value, and stays. */
const orElse = (text: Text, otherwise: string | null): string | null => (text === undefined ? otherwise : text);

function meetingOf(state: State, event: ScheduledEventResource | ExternalMeeting): RecapEventResource {
  if (!('event_memberships' in event)) return { ...event, uri: null };
  const { uri, name, start_time, end_time, location } = event;
  return {
    uri,
    name: name ?? 'Meeting',
    start_time,
    end_time,
    location: [location.join_url, location['location']].find((place) => typeof place === 'string') ?? null,
    attendees: attendeesOf(state, event),
  };
}

/** The hosts, and those invitees who came. */
function attendeesOf(
  state: State,
  { uri, event_memberships }: ScheduledEventResource,
): RecapEventResource['attendees'] {
  const came = state.invitees.of('event', uri).filter(({ status, no_show }) => status === 'active' && no_show === null);
  return [
    ...event_memberships.map(({ user_email, user_name }) => ({ host: true, user_email, user_name })),
    ...came.map(({ email, name }) => ({ host: false, user_email: email, user_name: name })),
  ];
}

function moved(event: RecapEventResource, start_time: string | undefined): RecapEventResource {
  if (start_time === undefined || start_time === event.start_time) return event;
  const lengthMs = Date.parse(event.end_time) - Date.parse(event.start_time);
  return { ...event, start_time, end_time: instantOf(Date.parse(start_time) + lengthMs) };
}

function shareLink({ options, random }: Service, link: string | null, shared: boolean | undefined): string | null {
  if (shared === undefined) return link;
  return shared ? (link ?? `${options.baseUrl}/pages/recaps/${random.uuid()}`) : null;
}
