// Meeting recaps: created, updated and deleted. Subscribers are notified of a new recap, of changed highlights, of a share link
// added or removed, and of the deletion; not of changed notes, attendees or times.
import { isDeepStrictEqual } from 'node:util';
import type { MeetingRecapResource, RecapMeeting, TranscriptResource } from '#schemas/resources/meeting-recap.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { hourMs, instantOf } from '#src/sandbox/clock.ts';
import type { Random } from '#src/sandbox/random.ts';
import { deletedRecapPayload, recapPayload } from './payloads.ts';
import { found, given, newUri, type Fact, type Service, type State } from './service.ts';

type TextField = 'summary_md' | 'action_items_md' | 'discussion_md' | 'notes';
type Texts = { readonly [Field in TextField]?: string | null | undefined };

export interface RecapPlan extends Texts {
  readonly user: string;
  /** One without a URI was not scheduled through the service. */
  readonly event: ScheduledEventResource | RecapMeeting;
  /** When it was created; absent: now. */
  readonly at?: string;
  /** Who is recorded: everyone speaks; guests are only listed; only hosts came; or nothing is recorded. */
  readonly presence?: Presence;
}

export const presences = ['spoke', 'listed', 'hosts', 'unknown'] as const;
type Presence = (typeof presences)[number];

/** Highlights that are absent are generated. */
export function createRecap(service: Service, plan: RecapPlan): MeetingRecapResource {
  const { state, random } = service;
  const { user, event: meeting, at = service.clock.tick(), presence = 'spoke', ...texts } = plan;
  const owner = found(state.users.get(user), 'user', 'user');
  const uri = newUri(service, 'meeting_recaps');
  const everyone = meetingOf(state, meeting);
  const hosts = everyone.attendees.filter(({ host }) => host);
  const attendees = { spoke: everyone.attendees, listed: everyone.attendees, hosts, unknown: [] }[presence];
  const recap: MeetingRecapResource = {
    uri,
    user,
    organization: owner.current_organization,
    event: 'uri' in meeting ? meeting.uri : null,
    ...everyone,
    attendees,
    transcript: `${uri}/transcript`,
    ...makeHighlights(random),
    notes: null,
    share_link: null,
    created_at: at,
    updated_at: at,
    ...given(texts),
  };
  const segments = makeTranscript(random, presence === 'listed' ? hosts : attendees);
  state.recaps.put(recap);
  state.transcripts.set(uri, { uri: recap.transcript, recap: uri, language: 'en', segments });
  const payload = recapPayload(service.options.as, recap, true);
  emitRecap(service, recap, { event: 'meeting_recap.created', at, payload });
  return recap;
}

/** Named as in the record; `share_link` says whether the recap has one. */
export interface RecapChanges extends Texts {
  readonly share_link?: boolean | undefined;
  readonly attendees?: RecapMeeting['attendees'] | undefined;
  /** The meeting keeps its duration. */
  readonly start_time?: string | undefined;
}

/** The fields whose changes notify subscribers. */
const announced = ['summary_md', 'action_items_md', 'discussion_md', 'share_link'] as const;

export function updateRecap(
  service: Service,
  recap: MeetingRecapResource,
  { share_link, attendees, start_time, ...texts }: RecapChanges,
): MeetingRecapResource {
  const changed: MeetingRecapResource = {
    ...recap,
    ...given(texts),
    ...moved(recap, start_time),
    ...given({ attendees }),
    share_link: shareLink(service, recap.share_link, share_link),
  };
  if (isDeepStrictEqual(changed, recap)) return recap;
  const at = service.clock.tick();
  const updated = { ...changed, updated_at: at };
  service.state.recaps.put(updated);
  const payload = recapPayload(service.options.as, updated, false);
  if (announced.some((field) => updated[field] !== recap[field]))
    emitRecap(service, updated, { event: 'meeting_recap.updated', at, payload });
  return updated;
}

export function deleteRecap(service: Service, recap: MeetingRecapResource): { uri: string; deleted_at: string } {
  const { state, clock, options } = service;
  state.recaps.delete(recap.uri);
  state.transcripts.delete(recap.uri);
  const deleted = { uri: recap.uri, deleted_at: clock.tick() };
  const payload = deletedRecapPayload(options.as, deleted);
  emitRecap(service, recap, { event: 'meeting_recap.deleted', at: deleted.deleted_at, payload });
  return deleted;
}

type RecapFact = Pick<Fact, 'event' | 'at' | 'payload'>;

/** A recap belongs to its user alone, not to the other attendees. */
function emitRecap(service: Service, { user, organization }: MeetingRecapResource, fact: RecapFact): void {
  service.emit({ ...fact, organization, users: [user] });
}

function meetingOf(state: State, event: ScheduledEventResource | RecapMeeting): RecapMeeting {
  if (!('event_memberships' in event)) return event;
  const { uri, name, start_time, end_time, location, event_memberships } = event;
  const attended = state.invitees
    .of('event', uri)
    .filter(({ status, no_show }) => status === 'active' && no_show === null);
  return {
    name: name ?? 'Meeting',
    start_time,
    end_time,
    location: [location.join_url, location['location']].find((value) => typeof value === 'string') ?? null,
    attendees: [
      ...event_memberships.map(({ user_email, user_name }) => ({ host: true, user_email, user_name })),
      ...attended.map(attendeeOf),
    ],
  };
}

const attendeeOf = ({ email, name }: { readonly email: string; readonly name: string }) => ({
  host: false,
  user_email: email,
  user_name: name,
});

/** One hour of this user, and perhaps of a guest, outside the service. */
export function externalMeeting(
  host: Pick<UserResource, 'email' | 'name'>,
  meeting: { readonly name: string; readonly startMs: number; readonly guest?: { name: string; email: string } },
): RecapMeeting {
  const { name, startMs, guest } = meeting;
  return {
    name,
    start_time: instantOf(startMs),
    end_time: instantOf(startMs + hourMs),
    location: null,
    attendees: [{ ...attendeeOf(host), host: true }, ...(guest ? [attendeeOf(guest)] : [])],
  };
}

type Period = Pick<RecapMeeting, 'start_time' | 'end_time'>;

function moved(from: Period, start_time = from.start_time): Period {
  if (start_time === from.start_time) return { start_time, end_time: from.end_time };
  const lengthMs = Date.parse(from.end_time) - Date.parse(from.start_time);
  return { start_time, end_time: instantOf(Date.parse(start_time) + lengthMs) };
}

function shareLink({ options, random }: Service, link: string | null, shared: boolean | undefined): string | null {
  if (shared === undefined) return link;
  return shared ? (link ?? `${options.baseUrl}/pages/recaps/${random.uuid()}`) : null;
}

const highlights = {
  summary_md: [
    '## Summary\nWalked through the import; two questions left open.',
    '## Summary\nAgreed on a trial for the support team, starting next week.',
    '## Summary\nReviewed last month and set the next goals.',
  ],
  action_items_md: [
    '- Send the notes\n- Book the next call',
    '- Share the pricing sheet\n- Invite the security team',
    '- Collect three examples of failed imports',
  ],
  discussion_md: [
    '### Import\nThe file format is settled; the mapping of custom fields is not.',
    '### Trial\nTen seats for four weeks, with a review half way.',
    '### Goals\nFewer missed meetings, faster replies.',
  ],
} as const;

export function makeHighlights(random: Random) {
  return {
    summary_md: random.pick(highlights.summary_md),
    action_items_md: random.pick(highlights.action_items_md),
    discussion_md: random.pick(highlights.discussion_md),
  };
}

const lines = [
  'Thanks for making the time today.',
  'Happy to be here. Shall we begin with the open questions?',
  'Yes. The import ran over night and stopped at the custom fields.',
  'That is the mapping. I can send you an example that works.',
  'Good, then let us look at it again next week.',
  'I will send an invitation. Thank you all.',
] as const;

/** The attendees speak one after another. */
function makeTranscript(random: Random, attendees: RecapMeeting['attendees']): TranscriptResource['segments'] {
  let start_seconds = 0;
  return lines.map((text, index) => {
    start_seconds += random.int(2, 20);
    return { speaker: attendees[index % Math.max(1, attendees.length)]?.user_name ?? 'Speaker', start_seconds, text };
  });
}
