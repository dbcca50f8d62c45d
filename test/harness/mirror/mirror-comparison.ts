// Holds a mirror against the service it mirrors: every row of every table, field by field, by names written down here and not
// taken from the code under test.
import { expect } from 'vitest';
import { canonicalJson, normalizeTimestamp } from '#schemas/wire.ts';
import { contactRecord } from '#src/sandbox/world/contacts/contacts.ts';
import { eventTypeRecord, organizationOf } from '#src/sandbox/world/event-types.ts';
import type { Store } from '#src/store/contract.ts';
import type { TestSandbox } from '../sandbox.ts';
import { keyColumnsOf, rowsOf, type MirroredName } from '../stores.ts';

type Row = Readonly<Record<string, unknown>>;
type Rows = readonly Row[];

export interface ComparisonOptions {
  /** Whose recaps the mirror can know: everybody's when not said. */
  readonly recapsOf?: readonly string[];
  /** Tables, and columns of any table, that are not looked at. */
  readonly except?: readonly string[];
}

/** Fails with every difference, one a line. */
export async function expectMirrored(store: Store, sandbox: TestSandbox, options?: ComparisonOptions): Promise<void> {
  expect(await mirrorDifferences(store, sandbox, options)).toEqual([]);
}

/** `contacts https://…/1 missing` · `… extra` · `contacts https://…/1 company: "A" is "B"`. */
export async function mirrorDifferences(
  store: Store,
  sandbox: TestSandbox,
  { recapsOf, except = [] }: ComparisonOptions = {},
): Promise<readonly string[]> {
  const differences: string[] = [];
  // The public service sends the place of a recap's meeting in another shape than it answers with.
  const unlike = sandbox.service.options.as === 'public' ? ['event_location', ...except] : except;
  const looked = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !unlike.includes(column)));
  for (const [name, rows] of Object.entries(expectedRows(sandbox, recapsOf))) {
    const table = name as MirroredName;
    if (!except.includes(table))
      differences.push(...differencesIn(table, rows.map(looked), await liveRows(store, table)));
  }
  return differences;
}

/** What is deleted is not there; an invitee's no-show that was taken back is history, which no list shows. */
async function liveRows(store: Store, table: MirroredName): Promise<Rows> {
  const rows: Rows = await rowsOf(store, table);
  return rows.filter((row) => (row['deleted_at'] ?? null) === null && (row['unmarked_at'] ?? null) === null);
}

function differencesIn(table: MirroredName, expected: Rows, actual: Rows): readonly string[] {
  const key = keyColumnsOf(table);
  const keyOf = (row: Row): string => key.map((column) => String(row[column])).join(' ');
  const found = new Map(actual.map((row) => [keyOf(row), row]));
  const known = new Set(expected.map(keyOf));
  const extra = [...found.keys()].filter((one) => !known.has(one)).map((one) => `${table} ${one} extra`);
  return [
    ...expected.flatMap((row) => {
      const other = found.get(keyOf(row));
      return other ? fieldsIn(`${table} ${keyOf(row)}`, row, other) : [`${table} ${keyOf(row)} missing`];
    }),
    ...extra,
  ];
}

function fieldsIn(where: string, expected: Row, actual: Row): readonly string[] {
  return Object.entries(expected).flatMap(([column, value]) => {
    const [wanted, got] = [canonicalJson(value ?? null), canonicalJson(actual[column] ?? null)];
    return wanted === got ? [] : [`${where} ${column}: ${wanted} is ${got}`];
  });
}

const pick = (record: object, names: string): Row =>
  Object.fromEntries(names.split(' ').map((name) => [name, (record as Row)[name] ?? null]));
const moment = (value: string | null): string | null => (value === null ? null : (normalizeTimestamp(value) ?? value));

/** What the tables are to hold of the organization of the handles. */
function expectedRows({ service, handles }: TestSandbox, recapsOf: readonly string[] | undefined) {
  const { state } = service;
  const { organization } = handles;
  const isPublic = service.options.as === 'public';
  const contacts = [...(state.contacts.get(organization)?.values() ?? [])].map((one) => contactRecord(service, one));
  const events = [...state.scheduledEvents.values()].filter(
    ({ event_memberships }) =>
      organizationOf(
        state,
        event_memberships.map(({ user }) => user),
      ) === organization,
  );
  const invitees = events.flatMap(({ uri }) => state.invitees.of('event', uri));
  const forms = [...state.routingForms.values()].filter((form) => form.organization === organization);
  const submissions = [...state.submissions.values()].filter(({ routing_form }) =>
    forms.some(({ uri }) => uri === routing_form),
  );
  const eventTypes = [...state.eventTypes.values()].filter(
    ({ hosts }) => organizationOf(state, hosts) === organization,
  );
  const recaps = [...state.recaps.values()].filter(
    (recap) => recap.organization === organization && (recapsOf?.includes(recap.user) ?? true),
  );
  const memberships = state.memberships.of('organization', organization);
  return {
    contacts: contacts.map(contactRow),
    contact_emails: contacts.flatMap(({ uri, emails }) => emails.map((one) => ({ contact_uri: uri, ...one }))),
    contact_phone_numbers: contacts.flatMap(({ uri, phone_numbers }) =>
      phone_numbers.map((one) => ({ contact_uri: uri, ...one })),
    ),
    contact_custom_fields: contacts.flatMap(({ uri, custom_fields = [] }) =>
      custom_fields.map((one) => ({ contact_uri: uri, field_uri: one.uri, label: one.label, value: one.value })),
    ),
    custom_field_definitions: state.definitions.of('organization', organization).map((one) => ({
      ...pick(one, 'uri label field_type currency created_at updated_at'),
      options: one.options?.map((option) => (isPublic ? { ...option, color: null, is_active: true } : option)),
    })),
    scheduled_events: events.map(eventRow),
    invitees: invitees.map(inviteeRow),
    invitee_answers: invitees.flatMap(({ uri, questions_and_answers }) =>
      questions_and_answers.map((one, item) => ({ invitee_uri: uri, item, ...one })),
    ),
    no_shows: invitees.flatMap(({ uri, no_show }) =>
      no_show ? [{ invitee_uri: uri, no_show_uri: no_show.uri, marked_at: no_show.created_at, unmarked_at: null }] : [],
    ),
    event_types: eventTypes.map((one) => eventTypeRow(eventTypeRecord(one))),
    routing_forms: forms.map((one) => ({
      ...pick(one, 'uri name status questions created_at updated_at'),
      organization_uri: one.organization,
    })),
    routing_form_submissions: submissions.map((one) => ({
      ...pick(one, 'uri routing_form questions_and_answers tracking result submitter submitter_type'),
      ...pick(one, 'created_at updated_at'),
      ...one.tracking,
      result_type: one.result.type,
    })),
    routing_form_answers: submissions.flatMap(({ uri, questions_and_answers }) =>
      questions_and_answers.map((one, item) => ({ submission_uri: uri, item, ...one })),
    ),
    meeting_recaps: recaps.map(recapRow),
    users: memberships.flatMap(({ user }) => {
      const known = state.users.get(user);
      return known ? [pick(known, 'uri name email slug timezone created_at updated_at')] : [];
    }),
    organization_memberships: memberships.map((one) => ({
      ...pick(one, 'uri role created_at updated_at'),
      user_uri: one.user,
      organization_uri: one.organization,
    })),
  } satisfies Partial<Record<MirroredName, Rows>>;
}

type ContactRecord = ReturnType<typeof contactRecord>;
const contactDates = 'first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date';

function contactRow(contact: ContactRecord): Row {
  const dates = Object.entries(pick(contact, contactDates)).map(([name, at]) => [name, moment(at as string | null)]);
  return {
    ...pick(contact, 'uri name emails phone_numbers timezone job_title company country state city linkedin'),
    ...pick(contact, 'custom_fields created_at updated_at'),
    ...Object.fromEntries(dates),
    primary_email: contact.emails.find(({ is_primary }) => is_primary)?.email,
  };
}

type State = TestSandbox['service']['state'];
type Shelved<IndexedCollection extends keyof State> = State[IndexedCollection] extends {
  get(uri: string): (infer One) | undefined;
}
  ? One
  : never;

function eventRow(event: NonNullable<Shelved<'scheduledEvents'>>): Row {
  return {
    ...pick(event, 'uri name status start_time end_time event_type location invitees_counter cancellation'),
    ...pick(event, 'meeting_notes_plain meeting_notes_html created_at updated_at'),
    join_url: event.location.join_url,
    hosts: event.event_memberships,
    guests: event.event_guests,
  };
}

function inviteeRow(invitee: NonNullable<Shelved<'invitees'>>): Row {
  const { payment, no_show, reconfirmation, cancellation } = invitee;
  return {
    ...pick(invitee, 'uri email first_name last_name name status timezone questions_and_answers tracking rescheduled'),
    ...pick(invitee, 'text_reminder_number old_invitee new_invitee cancel_url reschedule_url routing_form_submission'),
    ...pick(
      invitee,
      'payment reconfirmation scheduling_method invitee_scheduled_by cancellation created_at updated_at',
    ),
    ...invitee.tracking,
    event_uri: invitee.event,
    payment_external_id: payment?.external_id,
    payment_provider: payment?.provider,
    payment_amount: payment?.amount,
    payment_currency: payment?.currency,
    payment_terms: payment?.terms,
    payment_successful: payment?.successful,
    no_show_uri: no_show?.uri,
    no_show_at: no_show?.created_at,
    reconfirmation_sent_at: reconfirmation?.created_at,
    reconfirmed_at: reconfirmation?.confirmed_at,
    canceled_by: cancellation?.canceled_by,
    cancel_reason: cancellation?.reason,
    canceler_type: cancellation?.canceler_type,
    canceled_at: cancellation?.created_at,
  };
}

function eventTypeRow(eventType: ReturnType<typeof eventTypeRecord>): Row {
  return {
    ...pick(eventType, 'uri name active slug scheduling_url duration kind pooling_type type color internal_note'),
    ...pick(eventType, 'description_plain description_html profile secret booking_method custom_questions'),
    ...pick(eventType, 'admin_managed locations position locale created_at updated_at'),
    owner_uri: eventType.profile?.owner,
  };
}

function recapRow(recap: NonNullable<Shelved<'recaps'>>): Row {
  return {
    ...pick(recap, 'uri transcript summary_md action_items_md discussion_md share_link created_at updated_at'),
    event_uri: recap.event,
    event_name: recap.name,
    event_start_time: recap.start_time,
    event_end_time: recap.end_time,
    event_location: recap.location,
    attendees: recap.attendees,
  };
}
