// What an invitee's facts do to us: its row, its no-show marks, and the scheduled event that its body embeds (or that is
// read by itself).
import type { FactKind } from '#schemas/records.ts';
import type { Invitee, ScheduledEvent } from '#schemas/invitee.ts';
import type { Assignment, Compiled, Fact, Fields, Mark, NoShowFact, Projection } from './contract.ts';
import { columns, partOf, said, spread, trackingFields } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type Kinds = Extract<FactKind, `invitee.${string}` | `invitee_no_show.${string}`>;
type EventKinds = Extract<FactKind, `scheduled_event.${string}`>;

const paymentParts = spread('payment', {
  payment_external_id: 'external_id',
  payment_provider: 'provider',
  payment_currency: 'currency',
  payment_terms: 'terms',
  payment_successful: 'successful',
});

export const inviteeFields: Fields = {
  ...columns('email first_name last_name name status timezone questions_and_answers text_reminder_number rescheduled'),
  ...columns('old_invitee new_invitee cancel_url reschedule_url routing_form_submission scheduling_method'),
  ...columns('invitee_scheduled_by created_at updated_at body'),
  ...trackingFields,
  event: (uri) => ({ event_uri: uri }),
  payment: (payment) => {
    const amount = partOf(payment, 'amount');
    // An amount no double can hold stays readable in `payment`, and out of sums.
    return { ...paymentParts(payment), payment_amount: typeof amount === 'number' ? amount : null };
  },
  reconfirmation: spread('reconfirmation', { reconfirmation_sent_at: 'created_at', reconfirmed_at: 'confirmed_at' }),
  cancellation: spread('cancellation', {
    canceled_by: 'canceled_by',
    cancel_reason: 'reason',
    canceler_type: 'canceler_type',
    canceled_at: 'created_at',
  }),
};

export const scheduledEventFields: Fields = {
  ...columns('name status start_time end_time event_type invitees_counter meeting_notes_plain meeting_notes_html'),
  ...columns('cancellation created_at updated_at body'),
  location: (location) => {
    const link = partOf(location, 'join_url');
    return { location, join_url: typeof link === 'string' ? link : null };
  },
  event_memberships: (hosts) => ({ hosts }),
  event_guests: (guests) => ({ guests }),
};

const told =
  (rank: Rank, noShowOf: (fact: Fact<Kinds>) => NoShowFact | undefined) =>
  (fact: Fact<Kinds>): Compiled => {
    const { scheduled_event: event, ...invitee } = fact.payload;
    const noShow = noShowOf(fact);
    return {
      subject: { table: 'invitees', uri: invitee.uri },
      assignments: [inviteeOf(fact, invitee, rank), ...(event ? [scheduledEventOf(fact, event, rank)] : [])],
      ...(noShow && { noShow }),
    };
  };

/** Canceled is terminal: such a fact leads, so that no later "active" can win, without looking at the row. */
function inviteeOf({ event, observed, tie }: Fact<Kinds>, invitee: Invitee, rank: Rank): Assignment {
  const canceled = event === 'invitee.canceled' || invitee.status === 'canceled' || invitee.canceled === true;
  const version = versionOf({ updatedAt: invitee.updated_at, observed, rank, tie }, canceled);
  const fields = said(inviteeFields, { ...invitee, ...(canceled && { status: 'canceled' }), body: invitee });
  return { table: 'invitees', uri: invitee.uri, version, fields };
}

/** Several invitees of a group event speak about the same one: it has its own `updated_at`, and nothing terminal. */
function scheduledEventOf(
  { observed, tie }: Pick<Fact, 'observed' | 'tie'>,
  event: ScheduledEvent,
  rank: Rank,
): Assignment {
  const version = versionOf({ updatedAt: event.updated_at, observed, rank, tie });
  return {
    table: 'scheduled_events',
    uri: event.uri,
    version,
    fields: said(scheduledEventFields, { ...event, body: event }),
  };
}

function markIn({ payload, observed }: Fact<Kinds>): Mark | null {
  if (!payload.no_show) return null;
  return { uri: payload.no_show.uri, created_at: payload.no_show.created_at ?? observed };
}

/** A body that carries `no_show` tells its state at that moment; one that lacks the key says nothing. */
const snapshot =
  (rank: Rank) =>
  (fact: Fact<Kinds>): NoShowFact | undefined =>
    fact.payload.no_show === undefined
      ? undefined
      : { kind: 'snapshot', at: fact.observed, order: `${rank}${fact.tie}`, mark: markIn(fact) };

export const inviteeProjections: { [Kind in Kinds | EventKinds]: Projection<Kind> } = {
  'invitee.created': told(ranks.created, snapshot(ranks.created)),
  'invitee.canceled': told(ranks.final, snapshot(ranks.final)),
  'invitee.read': told(ranks.page, snapshot(ranks.page)),
  'scheduled_event.read': (fact) => ({
    subject: { table: 'scheduled_events', uri: fact.payload.uri },
    assignments: [scheduledEventOf(fact, fact.payload, ranks.page)],
  }),
  'invitee_no_show.created': told(ranks.updated, (fact) => ({
    kind: 'mark',
    at: fact.observed,
    // A mark without its object still happened; it is known by the moment it was told.
    mark: markIn(fact) ?? { uri: `${fact.payload.uri}#no-show-${fact.observed}`, created_at: fact.observed },
  })),
  'invitee_no_show.deleted': told(ranks.updated, (fact) => ({ kind: 'unmark', at: fact.observed })),
};
