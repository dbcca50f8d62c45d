// The deliveries, the records of the API and the answers that tell a store of the boundary world, in any order.
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { ingestParsed } from '#workers/fold/pipeline/ingest.ts';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { attendanceEntry } from '#workers/fold/projections/attendance.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Store } from '#src/store/contract.ts';
import { eraseFrom } from '../erasures.ts';
import { ingestBodies, ingestRead } from '../stores.ts';
import { instant, uriOf, type Invitee, type Meeting, type World } from './boundary-world.ts';

export type Fact =
  | { readonly at: string; readonly body: string }
  | { readonly at: string; readonly record: ServiceRecord }
  | { readonly at: string; readonly answered: string };

const delivery = (event: string, at: string, payload: object): Fact => ({
  at,
  body: JSON.stringify({ event, created_at: at, payload }),
});
const record = (kind: ServiceRecord['kind'], at: string, content: ServiceRecord['record']): Fact => ({
  at,
  record: { kind, record: content, observed: at },
});

const inviteeUri = (id: string | undefined): string | null => (id === undefined ? null : uriOf('invitees', id));
const hostNames: Readonly<Record<string, string>> = {
  ada: 'Ada',
  ben: 'Ben',
  cleo: 'Cleo',
  nora: 'Nora',
  noone: 'No one',
};
export const nameOfHost = (id: string): string => hostNames[id] ?? id;
export const typeNames: Readonly<Record<string, string>> = {
  intro: 'Introduction',
  demo: 'Demonstration',
  recent: 'Recent',
};

function eventOf(id: string, { type, start, end, hosts }: Meeting, at: string) {
  return {
    uri: uriOf('scheduled_events', id),
    name: typeNames[type],
    status: 'active',
    start_time: start,
    end_time: end,
    event_type: uriOf('event_types', type),
    event_memberships: hosts.map((host) => ({ user: uriOf('users', host), user_name: nameOfHost(host) })),
    updated_at: at,
  };
}

const cancellationOf = ({ by = null, at = null }: NonNullable<Meeting['canceled']>) => ({
  canceler_type: by,
  created_at: at,
  reason: null,
});

function canceledEvent(id: string, meeting: Meeting, at: string) {
  const { canceled } = meeting;
  const event = eventOf(id, meeting, at);
  return canceled === undefined ? event : { ...event, status: 'canceled', cancellation: cancellationOf(canceled) };
}

function factsOfInvitee(id: string, invitee: Invitee, meeting: Meeting | undefined): Fact[] {
  const { made, canceled, moved, marks = [], answered, reconfirmed, first, payment } = invitee;
  const uri = uriOf('invitees', id);
  const event = invitee.meeting === null ? null : uriOf('scheduled_events', invitee.meeting);
  const embedded = (at: string, isOver: boolean) =>
    meeting === undefined || meeting.blank || invitee.meeting === null
      ? {}
      : { scheduled_event: (isOver ? canceledEvent : eventOf)(invitee.meeting, meeting, at) };
  const said = {
    uri,
    event,
    email: invitee.email,
    name: invitee.name,
    timezone: invitee.zone,
    created_at: made,
    tracking: { utm_source: invitee.source ?? null },
    routing_form_submission: invitee.form === undefined ? null : uriOf('routing_form_submissions', invitee.form),
    ...(payment && { payment: { ...payment, external_id: payment.id, terms: null } }),
    ...(reconfirmed !== undefined && { reconfirmation: { created_at: made, confirmed_at: reconfirmed } }),
  };
  const old = inviteeUri(first === undefined ? invitee.old : first.old);
  const over = canceled?.at ?? meeting?.canceled?.at ?? made;
  const isOver = canceled !== undefined || moved !== undefined;
  return [
    delivery('invitee.created', made, {
      ...said,
      status: 'active',
      rescheduled: false,
      old_invitee: old,
      updated_at: made,
      ...embedded(made, false),
    }),
    ...(isOver
      ? [
          delivery('invitee.canceled', over, {
            ...said,
            status: 'canceled',
            rescheduled: moved ?? false,
            old_invitee: old,
            new_invitee: inviteeUri(invitee.new),
            ...(canceled && Object.keys(canceled).length > 0 && { cancellation: cancellationOf(canceled) }),
            updated_at: over,
            ...embedded(over, true),
          }),
        ]
      : []),
    ...(first === undefined
      ? []
      : [
          record('invitee', '2025-03-16T00:00:00.000000Z', {
            uri,
            old_invitee: inviteeUri(invitee.old),
            updated_at: '2025-03-15T00:00:00.000000Z',
          }),
        ]),
    ...marks.flatMap(({ id: mark, at, removed }) => {
      const no_show = { uri: uriOf('invitee_no_shows', mark), created_at: at };
      return [
        delivery('invitee_no_show.created', at, { uri, event, updated_at: at, no_show }),
        ...(removed === undefined
          ? []
          : [delivery('invitee_no_show.deleted', removed, { uri, event, updated_at: removed, no_show: null })]),
      ];
    }),
    ...(answered === undefined ? [] : [{ at: answered, answered: uri }]),
  ];
}

function factsAround({ zones, meetings, recaps, submissions, contacts }: World): Fact[] {
  const early = '2025-03-01T00:00:00.000000Z';
  const hosts = [{ host: true, user_email: 'host@hosts.test', user_name: 'Host' }];
  return [
    ...Object.entries(zones).map(([id, timezone]) =>
      record('user', early, { uri: uriOf('users', id), name: nameOfHost(id), timezone }),
    ),
    ...Object.entries(typeNames).map(([id, name]) =>
      record('event_type', early, { uri: uriOf('event_types', id), name }),
    ),
    ...Object.entries(meetings).flatMap(([id, meeting]) =>
      meeting.canceled === undefined
        ? []
        : [
            record(
              'scheduled_event',
              meeting.canceled.at ?? early,
              canceledEvent(id, meeting, meeting.canceled.at ?? early),
            ),
          ],
    ),
    ...Object.entries(recaps).flatMap(([id, { meeting, made, attendees = [], speakers }]) => {
      const uri = uriOf('meeting_recaps', id);
      const others = attendees.map((user_email) => ({ host: false, user_email, user_name: 'Someone' }));
      return [
        delivery('meeting_recap.created', made, {
          uri,
          created_at: made,
          event: { uri: uriOf('scheduled_events', meeting), attendees: [...hosts, ...others] },
        }),
        ...(speakers === undefined ? [] : [record('meeting_recap_transcript', made, { uri, speakers })]),
      ];
    }),
    ...Object.entries(submissions).map(([id, { form, at, leadsTo, email }]) =>
      delivery('routing_form_submission.created', at, {
        uri: uriOf('routing_form_submissions', id),
        routing_form: uriOf('routing_forms', form),
        result: { type: leadsTo, value: leadsTo === 'event_type' ? uriOf('event_types', 'intro') : null },
        questions_and_answers: email === undefined ? [] : [{ question: 'E-mail', answer: email }],
        created_at: at,
      }),
    ),
    ...Object.entries(contacts).flatMap(([id, { emails, made, deleted }]) => {
      const uri = uriOf('contacts', id);
      const addresses = emails.map((email, index) => ({ email, is_primary: index === 0 }));
      return [
        delivery('contact.created', made, { uri, name: id, emails: addresses, created_at: made, updated_at: made }),
        ...(deleted === undefined ? [] : [delivery('contact.deleted', deleted, { uri, deleted_at: deleted })]),
      ];
    }),
  ];
}

/** As they happened. */
export const factsOf = (world: World): readonly Fact[] =>
  [
    ...factsAround(world),
    ...Object.entries(world.invitees).flatMap(([id, invitee]) =>
      factsOfInvitee(id, invitee, world.meetings[invitee.meeting ?? '']),
    ),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

/** Some order, always the same. */
export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return items
    .map((item) => ({ item, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

export const orders: Readonly<Record<string, (facts: readonly Fact[]) => readonly Fact[]>> = {
  'as they happened': (facts) => facts,
  'the newest first': (facts) => facts.toReversed(),
  shuffled: (facts) => shuffled(facts, 7),
  'shuffled otherwise': (facts) => shuffled(facts, 70_001),
};

const batchSize = 9;

async function tellOne(store: Store, batch: readonly Fact[]): Promise<void> {
  const screen = privacyScreen({ eraseOnDelete: true });
  await ingestBodies(
    store,
    batch.flatMap((fact) => ('body' in fact ? [fact.body] : [])),
  );
  await ingestRead(
    store,
    batch.flatMap((fact) => ('record' in fact ? [fact.record] : [])),
  );
  const entries = batch.flatMap((fact) =>
    'answered' in fact
      ? [attendanceEntry({ invitee: fact.answered, came: true, by: 'host', at: fact.at }, blankEntry)]
      : [],
  );
  await ingestParsed(
    { store, screen },
    entries.map((entry) => parseText(entry.body ?? '', entry)),
  );
}

/** Tells a store everything, and erases whom the world says. */
export async function tell(store: Store, world: World, facts: readonly Fact[]): Promise<void> {
  for (let from = 0; from < facts.length; from += batchSize) await tellOne(store, facts.slice(from, from + batchSize));
  for (const { email, erased } of Object.values(world.invitees))
    if (erased) await eraseFrom(store, email, { now: instant(world.nowMs) });
}
