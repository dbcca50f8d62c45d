// The timeline of a booking: what happened to it and its reschedules, in order, each point with the log entry it comes from.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { isSameJson } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { TableRow } from '#src/store/tables.ts';
import { explain, type TouchingEntry } from '#workers/sync/explain-row.ts';

const kinds = [
  'booked',
  'moved',
  'moved_on',
  'canceled',
  'meeting',
  'held',
  'no_show_marked',
  'no_show_unmarked',
  'recap',
  'recap_deleted',
  'confirmation_requested',
  'reconfirmed',
  'alert_sent',
  'alert_failed',
] as const;

export const timelinePoint = z.strictObject({
  kind: z.enum(kinds),
  at: instant,
  sentence: z.string(),
  start_time: instant.nullable().describe('Of the meeting, for `booked` and `moved`.'),
  subject_uri: z.string().describe('The invitee, or the recap.'),
  seq: z
    .int()
    .nullable()
    .describe('The log entry it comes from; null when no delivery reports it, or it is no longer known.'),
  delivery_id: z.string().nullable(),
});

export type TimelinePoint = z.output<typeof timelinePoint>;

export interface TimelineSource {
  readonly outcome: Json;
  /** The bookings of the journey, in order. */
  readonly members: readonly TableRow<'invitees'>[];
  readonly events: ReadonlyMap<string, TableRow<'scheduled_events'>>;
  readonly marks: readonly TableRow<'no_shows'>[];
  readonly recaps: readonly TableRow<'meeting_recaps'>[];
  readonly alerts: readonly Alert[];
}

/** A point before its log entry is known: the change by which that is recognized, or else its event. */
interface Draft {
  readonly kind: (typeof kinds)[number];
  readonly at: string | null;
  readonly sentence: string;
  readonly subject: string;
  readonly startTime?: string | null;
  readonly origin?: {
    readonly table: 'invitees' | 'meeting_recaps';
    readonly column: string;
    readonly change: (before: unknown, after: unknown) => boolean;
    readonly event: string;
  };
}

const becomes = (value: Json) => (_before: unknown, after: unknown) => isSameJson(after, value);

export async function timelineOf(store: Store, source: TimelineSource): Promise<readonly TimelinePoint[]> {
  const drafts = [
    ...source.members.flatMap((member, index) => bookingDrafts(source, member, index)),
    ...source.marks.flatMap(markDrafts),
    ...source.recaps.flatMap(recapDrafts),
    ...source.alerts.flatMap(alertDrafts),
    ...meetingDrafts(source),
  ];
  const subjects = new Set(drafts.filter(({ origin }) => origin !== undefined).map(({ subject }) => subject));
  const entries = new Map<string, readonly TouchingEntry[]>();
  for (const uri of subjects) {
    const history = await explain(store, { uri, after: 0, limit: mostEntries });
    entries.set(uri, history?.deliveries ?? []);
  }
  const points = drafts.flatMap(({ at, kind, sentence, subject, startTime = null, origin }) => {
    const seq = origin === undefined ? null : (entryOf(entries.get(subject) ?? [], origin)?.seq ?? null);
    return at === null ? [] : [{ kind, at, sentence, start_time: startTime, subject_uri: subject, seq }];
  });
  const ids = await deliveryIds(
    store,
    points.flatMap(({ seq }) => seq ?? []),
  );
  return points
    .map((point) => ({ ...point, delivery_id: ids.get(point.seq ?? 0) ?? null }))
    .toSorted((a, b) => (a.at === b.at ? kinds.indexOf(a.kind) - kinds.indexOf(b.kind) : a.at < b.at ? -1 : 1));
}

/** Per booking; more are only found in the log itself. */
const mostEntries = 200;

function bookingDrafts(
  { members, events, outcome }: TimelineSource,
  member: TableRow<'invitees'>,
  index: number,
): readonly Draft[] {
  const { uri: subject, created_at, canceled_at, cancel_reason } = member;
  const meeting = events.get(member.event_uri ?? '');
  const created = {
    table: 'invitees',
    column: 'created_at',
    change: becomes(created_at),
    event: 'invitee.created',
  } as const;
  const isLast = index === members.length - 1;
  const by = byWhom(member);
  const reason = cancel_reason ? `: ${cancel_reason}` : '.';
  const end: Draft = {
    kind: outcome === 'rescheduled' ? 'moved_on' : 'canceled',
    at: canceled_at,
    sentence:
      outcome === 'rescheduled' ? `Moved${by} to a booking that is not mirrored${reason}` : `Canceled${by}${reason}`,
    subject,
    origin: { table: 'invitees', column: 'canceled_at', change: becomes(canceled_at), event: 'invitee.canceled' },
  };
  return [
    {
      kind: index === 0 ? 'booked' : 'moved',
      at: created_at,
      sentence:
        index === 0
          ? `${meeting?.name ?? 'A meeting'} was booked.`
          : `Moved${byWhom(members[index - 1])} to another time.`,
      startTime: meeting?.start_time ?? null,
      subject,
      origin: created,
    },
    ...(isLast ? [end] : []),
    reconfirmation(member, 'reconfirmation_sent_at', 'confirmation_requested', 'The invitee was asked to confirm.'),
    reconfirmation(member, 'reconfirmed_at', 'reconfirmed', 'The invitee confirmed.'),
  ];
}

const byWhom = (canceled: TableRow<'invitees'> | undefined): string =>
  canceled?.canceler_type === 'host' || canceled?.canceler_type === 'invitee'
    ? ` by the ${canceled.canceler_type}`
    : '';

const reconfirmation = (
  member: TableRow<'invitees'>,
  column: 'reconfirmation_sent_at' | 'reconfirmed_at',
  kind: Draft['kind'],
  sentence: string,
): Draft => ({
  kind,
  at: member[column],
  sentence,
  subject: member.uri,
  origin: { table: 'invitees', column, change: becomes(member[column]), event: 'invitee.created' },
});

function markDrafts({
  invitee_uri: subject,
  no_show_uri: mark,
  marked_at,
  unmarked_at,
}: TableRow<'no_shows'>): readonly Draft[] {
  const origin = { table: 'invitees', column: 'no_show_uri' } as const;
  return [
    {
      kind: 'no_show_marked',
      at: marked_at,
      sentence: 'Marked as a no-show.',
      subject,
      origin: { ...origin, change: becomes(mark), event: 'invitee_no_show.created' },
    },
    {
      kind: 'no_show_unmarked',
      at: unmarked_at,
      sentence: 'The no-show mark was removed.',
      subject,
      origin: {
        ...origin,
        change: (before, after) => before === mark && after !== mark,
        event: 'invitee_no_show.deleted',
      },
    },
  ];
}

function recapDrafts({ uri: subject, created_at, as_of, deleted_at }: TableRow<'meeting_recaps'>): readonly Draft[] {
  const at = created_at ?? as_of;
  const table = 'meeting_recaps';
  return [
    {
      kind: 'recap',
      at,
      sentence: 'A recap of the meeting was written.',
      subject,
      origin: { table, column: 'created_at', change: becomes(created_at), event: 'meeting_recap.created' },
    },
    {
      kind: 'recap_deleted',
      at: deleted_at,
      sentence: 'The recap was deleted.',
      subject,
      origin: { table, column: 'deleted_at', change: becomes(deleted_at), event: 'meeting_recap.deleted' },
    },
  ];
}

function alertDrafts({ rule, channel, state, follows, sent_at, updated_at, subject_uri }: Alert): readonly Draft[] {
  const what = follows === null ? `The alert “${rule}”` : `The retraction of the alert “${rule}”`;
  const subject = subject_uri;
  if (sent_at !== null)
    return [{ kind: 'alert_sent', at: sent_at, sentence: `${what} was sent to ${channel}.`, subject }];
  if (state !== 'failed') return [];
  return [{ kind: 'alert_failed', at: updated_at, sentence: `${what} could not be sent to ${channel}.`, subject }];
}

/** No delivery reports that a meeting took place. */
function meetingDrafts({ outcome, members, events }: TimelineSource): readonly Draft[] {
  const last = members.at(-1);
  const meeting = events.get(last?.event_uri ?? '');
  if (last === undefined || meeting === undefined) return [];
  const subject = last.uri;
  if (outcome === 'upcoming' || outcome === 'no_show') {
    // It may be marked before it begins.
    return [{ kind: 'meeting', at: meeting.start_time, sentence: 'Start of the meeting.', subject }];
  }
  if (outcome !== 'held') return [];
  const at = meeting.end_time ?? meeting.start_time;
  return [{ kind: 'held', at, sentence: 'The meeting ended.', subject }];
}

/** The entry that made the change, or else the first one of its event. */
function entryOf(
  entries: readonly TouchingEntry[],
  { table, column, change, event }: NonNullable<Draft['origin']>,
): TouchingEntry | undefined {
  const made = entries.findLast(({ changes }) => {
    const [before, after] = changes?.[table]?.[column] ?? [];
    return after !== undefined && change(before, after);
  });
  return made ?? entries.find((entry) => entry.event === event && entry.outcome !== 'quarantined');
}

async function deliveryIds({ db }: Store, seqs: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const rows = await db.selectFrom('event_log').select(['seq', 'delivery_id']).where('seq', 'in', seqs).execute();
  return new Map(rows.map(({ seq, delivery_id }) => [seq, delivery_id]));
}
