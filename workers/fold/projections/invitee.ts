// Projects invitees: the row, its no-show marks, and the scheduled event that its payload embeds or that is read by itself.
import type { EventKind } from '#schemas/events.ts';
import { cancellation as cancellationParts, type Invitee, type ScheduledEvent } from '#schemas/invitee.ts';
import type { FactKind } from '#schemas/records.ts';
import type { Assignment, Fact, Fields, Mark, NoShowFact, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, extraBeside, partOf, recordsTo, spread, trackingFields } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `invitee.${string}` | (EventKind & `invitee_no_show.${string}`)>;
type MarkKinds = Extract<FactKind, 'invitee_no_show.read'>;
type EventKinds = Extract<FactKind, `scheduled_event.${string}`>;

const paymentParts = spread('invitees', 'payment', {
  payment_external_id: 'external_id',
  payment_provider: 'provider',
  payment_currency: 'currency',
  payment_terms: 'terms',
  payment_successful: 'successful',
});

export const inviteeFields: Fields<'invitees'> = {
  ...columnsFrom<Invitee>()(
    'invitees',
    'email first_name last_name name status timezone questions_and_answers text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url routing_form_submission scheduling_method invitee_scheduled_by created_at updated_at extra',
  ),
  ...trackingFields,
  event: (uri) => ({ event_uri: uri }),
  payment: (payment) => {
    const amount = partOf(payment, 'amount');
    // An amount that no double can hold stays readable in `payment`, and out of sums.
    return { ...paymentParts(payment), payment_amount: typeof amount === 'number' ? amount : null };
  },
  reconfirmation: spread('invitees', 'reconfirmation', {
    reconfirmation_sent_at: 'created_at',
    reconfirmed_at: 'confirmed_at',
  }),
  cancellation: spread('invitees', 'cancellation', {
    canceled_by: 'canceled_by',
    cancel_reason: 'reason',
    canceler_type: 'canceler_type',
    canceled_at: 'created_at',
  }),
};

/** `no_show` and `canceled` are read below; the scheduled event has a row of its own. */
const inviteeExtra = extraBeside(Object.keys(inviteeFields), 'no_show', 'canceled', 'scheduled_event');

export const scheduledEventFields: Fields<'scheduled_events'> = {
  ...columnsFrom<ScheduledEvent>()(
    'scheduled_events',
    'name status start_time end_time event_type invitees_counter meeting_notes_plain meeting_notes_html created_at updated_at extra',
  ),
  location: (location) => {
    const link = partOf(location, 'join_url');
    return { location, join_url: typeof link === 'string' ? link : null };
  },
  event_memberships: (hosts) => ({ hosts }),
  event_guests: (guests) => ({ guests }),
  // It is kept as sent, even where it has another form: its parts are then unknown.
  cancellation: (cancellation) => {
    const parts = cancellationParts.safeParse(cancellation);
    return {
      cancellation,
      canceler_type: parts.data?.canceler_type ?? null,
      canceled_at: parts.data?.created_at ?? null,
    };
  },
};

/** Several invitees of a group event embed the same event: it has its own `updated_at`, and no terminal state. */
const eventDescribed = recordsTo('scheduled_events', scheduledEventFields);

function described(
  rank: Rank,
  noShowOf: (input: ProjectionInput<Kinds>) => NoShowFact | undefined,
): (input: ProjectionInput<Kinds>) => Fact {
  const describeEvent = eventDescribed(rank);
  return (input) => {
    const { observed, tie } = input;
    const { scheduled_event: event, ...rest } = input.payload;
    // Some deliveries name the meeting only in the record they embed.
    const invitee = event && rest.event == null ? { ...rest, event: event.uri } : rest;
    const noShow = noShowOf(input);
    const events = event ? describeEvent({ payload: event, observed, tie }).assignments : [];
    const { event: meeting } = invitee;
    return {
      subject: { table: 'invitees', uri: invitee.uri },
      assignments: [inviteeAssignment(input, invitee, rank), ...events],
      ...(noShow && { noShow }),
      ...(typeof meeting === 'string' && meeting !== event?.uri && { meeting }),
    };
  };
}

/** Canceled is terminal: such a fact leads, so that no later active one can win, without reading the row. */
function inviteeAssignment({ event, observed, tie }: ProjectionInput<Kinds>, invitee: Invitee, rank: Rank): Assignment {
  const { uri } = invitee;
  const isCanceled = event === 'invitee.canceled' || invitee.status === 'canceled' || invitee.canceled === true;
  const version = versionOf({ updatedAt: invitee.updated_at, observed, rank, tie }, isCanceled);
  const record = { ...invitee, ...(isCanceled && { status: 'canceled' }), extra: inviteeExtra(invitee) };
  return assignmentTo('invitees', inviteeFields, { uri, version, record });
}

/** A mark without a URI still happened; its time identifies it. */
function markIn({ payload: { uri, no_show }, observed }: ProjectionInput<Kinds>): Mark | null {
  if (!no_show) return null;
  const created_at = no_show.created_at ?? observed;
  return { uri: no_show.uri ?? `${uri}#no-show-${created_at}`, created_at };
}

/** A payload that has `no_show` gives the state at that moment; one that lacks the key does not. */
const snapshot =
  (rank: Rank) =>
  (input: ProjectionInput<Kinds>): NoShowFact | undefined =>
    input.payload.no_show === undefined
      ? undefined
      : { kind: 'snapshot', at: input.observed, order: `${rank}${input.tie}`, mark: markIn(input) };

export const inviteeProjections: { [Kind in Kinds | MarkKinds | EventKinds]: Projection<Kind> } = {
  'invitee.created': described(ranks.created, snapshot(ranks.created)),
  'invitee.canceled': described(ranks.final, snapshot(ranks.final)),
  'invitee.read': described(ranks.page, snapshot(ranks.page)),
  'scheduled_event.read': eventDescribed(ranks.page),
  'invitee_no_show.created': described(ranks.updated, (input) => ({
    kind: 'mark',
    at: input.observed,
    mark: markIn(input) ?? { uri: `${input.payload.uri}#no-show-${input.observed}`, created_at: input.observed },
  })),
  'invitee_no_show.deleted': described(ranks.updated, (input) => ({ kind: 'unmark', at: input.observed })),
  'invitee_no_show.read': ({ payload: { uri, no_show: mark, deleted_at: removedAt }, observed }) => ({
    subject: { table: 'invitees', uri },
    assignments: [],
    // The time of observation is rounded down, and could be before an unmark that the mark follows.
    noShow: removedAt
      ? { kind: 'removal', at: removedAt, uri: mark.uri }
      : {
          kind: 'mark',
          at: mark.created_at ?? observed,
          mark: { uri: mark.uri, created_at: mark.created_at ?? observed },
        },
  }),
};
