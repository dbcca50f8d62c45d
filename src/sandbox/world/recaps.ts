// Meeting recaps: created, updated, deleted and searched. Subscribers are notified of a new recap, of changed highlights, of a
// share link added or removed, and of the deletion; not of changed notes, attendees or times.
import { isDeepStrictEqual } from 'node:util';
import type { MeetingRecapResource, RecapEventResource } from '#schemas/resources/meeting-recap.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { makeHighlights, makeTranscript } from './recap-text.ts';
import { newUri, type Fact, type Service, type ServiceOptions } from './service.ts';
import type { State } from './state.ts';

/** A meeting that was not scheduled through the service. */
export type ExternalMeeting = Omit<RecapEventResource, 'uri'>;

type Text = string | null | undefined;

export interface RecapPlan {
  /** The user it belongs to, by URI. */
  readonly user: string;
  readonly event: ScheduledEventResource | ExternalMeeting;
  /** Null: none. Absent: generated. */
  readonly summary?: Text;
  readonly actionItems?: Text;
  readonly discussion?: Text;
  readonly notes?: Text;
  /** When it was created; absent: now. */
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
  const payload = options.flat ? recap : { created_at: at, ...payloadOf(recap, options) };
  emitRecap(service, recap, { event: 'meeting_recap.created', at, payload });
  return recap;
}

/** Named as in the record; `share_link` says whether the recap has one. */
export interface RecapChanges {
  readonly summary_md?: Text;
  readonly action_items_md?: Text;
  readonly discussion_md?: Text;
  readonly notes?: Text;
  readonly share_link?: boolean | undefined;
  readonly attendees?: RecapEventResource['attendees'] | undefined;
  /** The meeting keeps its duration. */
  readonly start_time?: string | undefined;
}

/** The fields whose changes notify subscribers. */
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
    const payload = payloadOf(updated, service.options);
    emitRecap(service, updated, { event: 'meeting_recap.updated', at, payload });
  }
  return updated;
}

export function deleteRecap(service: Service, recap: MeetingRecapResource): DeletedRecap {
  const { state, clock, options } = service;
  state.recaps.delete(recap.uri);
  state.transcripts.delete(recap.uri);
  const deleted = { uri: recap.uri, deleted_at: clock.tick() };
  const payload = options.flat ? deleted : { recap: deleted };
  emitRecap(service, recap, { event: 'meeting_recap.deleted', at: deleted.deleted_at, payload });
  return deleted;
}

type RecapFact = Pick<Fact, 'event' | 'at' | 'payload'>;

/** A recap belongs to its user alone, not to the other attendees. */
function emitRecap(service: Service, { user, organization }: MeetingRecapResource, fact: RecapFact): void {
  service.emit({ ...fact, organization, users: [user] });
}

/** Null is a value of its own. */
const orElse = (text: Text, otherwise: string | null): string | null => (text === undefined ? otherwise : text);

function meetingOf(state: State, event: ScheduledEventResource | ExternalMeeting): RecapEventResource {
  if (!('event_memberships' in event)) return { ...event, uri: null };
  const { uri, name, start_time, end_time, location } = event;
  return {
    uri,
    name: name ?? 'Meeting',
    start_time,
    end_time,
    location: [location.join_url, location['location']].find((value) => typeof value === 'string') ?? null,
    attendees: attendeesOf(state, event),
  };
}

/** The hosts, and the invitees who attended. */
function attendeesOf(
  state: State,
  { uri, event_memberships }: ScheduledEventResource,
): RecapEventResource['attendees'] {
  const attended = state.invitees
    .of('event', uri)
    .filter(({ status, no_show }) => status === 'active' && no_show === null);
  return [
    ...event_memberships.map(({ user_email, user_name }) => ({ host: true, user_email, user_name })),
    ...attended.map(({ email, name }) => ({ host: false, user_email: email, user_name: name })),
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

export interface DeletedRecap {
  readonly uri: string;
  readonly deleted_at: string;
}

/** What subscribers receive: nested as the public service sends it, or flat as the specification describes it (A4c). */
function payloadOf(recap: MeetingRecapResource, { flat }: ServiceOptions): JsonObject {
  if (flat) return recap;
  const { event, user: _user, organization: _organization, notes: _notes, ...rest } = recap;
  const { uri, ...meeting } = event;
  // An external meeting has no URI.
  return { event: uri === null ? meeting : event, recap: rest };
}

export interface RecapSearch {
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  readonly organization?: string | undefined;
  /** An e-mail address; case does not matter. */
  readonly attendee?: string | undefined;
  /** Both ends are inclusive. */
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

export function matchesRecap(recap: MeetingRecapResource, search: RecapSearch): boolean {
  const { event, user, organization, attendee, min_start_time, max_start_time } = search;
  const { uri, start_time, attendees } = recap.event;
  return (
    (event === undefined || uri === event) &&
    (user === undefined || recap.user === user) &&
    (organization === undefined || recap.organization === organization) &&
    (min_start_time === undefined || start_time >= min_start_time) &&
    (max_start_time === undefined || start_time <= max_start_time) &&
    (attendee === undefined || attendees.some(({ user_email }) => isSameAddress(user_email, attendee)))
  );
}
