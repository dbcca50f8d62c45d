// Holds a mirror against the service it mirrors: every row of every table, field by field, as the model of the fold has them.
import { expect } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { contactRecord } from '#src/sandbox/world/contacts/contacts.ts';
import { eventTypeRecord, organizationOf } from '#src/sandbox/world/event-types.ts';
import type { Store } from '#src/store/contract.ts';
import { expectedRows } from '../../oracle/fold.ts';
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
  const location = sandbox.service.options.as === 'public' ? ['event_location'] : [];
  const unlike = [...except, ...notListed, ...answers, ...location];
  const looked = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !unlike.includes(column)));
  const model = modelRows(sandbox, recapsOf);
  for (const table of tables)
    if (!except.includes(table))
      differences.push(...differencesIn(table, (model[table] ?? []).map(looked), await liveRows(store, table)));
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

/** Not the service's: when a row was read, what no column shows, answers; and what only deliveries and transcripts bring. */
const notListed = 'as_of lagging extra creation_source owner_uuid speakers'.split(' ');
const answers = 'attendance_confirmed_at attendance_confirmed_by attendance_entry'.split(' ');

const tables =
  `contacts contact_emails contact_phone_numbers contact_custom_fields custom_field_definitions scheduled_events invitees
  invitee_answers no_shows event_types routing_forms routing_form_submissions routing_form_answers meeting_recaps users
  organization_memberships`.split(/\s+/) as MirroredName[];

/** What the model makes of everything that the organization of the handles has. */
function modelRows({ service, handles }: TestSandbox, recapsOf: readonly string[] | undefined) {
  const { state } = service;
  const { organization } = handles;
  const isOwn = (users: readonly string[]): boolean => organizationOf(state, users) === organization;
  const events = [...state.scheduledEvents.values()].filter(({ event_memberships }) =>
    isOwn(event_memberships.map(({ user }) => user)),
  );
  const forms = [...state.routingForms.values()].filter((form) => form.organization === organization);
  const memberships = state.memberships.of('organization', organization);
  const definitions = state.definitions.of('organization', organization).map((one) => ({
    ...one,
    options: one.options?.map((option) =>
      service.options.as === 'public' ? { ...option, color: null, is_active: true } : option,
    ),
  }));
  const records: Readonly<Record<string, readonly object[]>> = {
    contact: [...(state.contacts.get(organization)?.values() ?? [])].map((one) => contactRecord(service, one)),
    custom_field_definition: definitions,
    scheduled_event: events,
    invitee: events.flatMap(({ uri }) => state.invitees.of('event', uri)),
    event_type: [...state.eventTypes.values()].filter(({ hosts }) => isOwn(hosts)).map(eventTypeRecord),
    routing_form: forms,
    routing_form_submission: [...state.submissions.values()].filter(({ routing_form }) =>
      forms.some(({ uri }) => uri === routing_form),
    ),
    meeting_recap: [...state.recaps.values()].filter(
      (recap) => recap.organization === organization && (recapsOf?.includes(recap.user) ?? true),
    ),
    user: memberships.flatMap(({ user }) => state.users.get(user) ?? []),
    organization_membership: memberships,
  };
  const facts = Object.entries(records).flatMap(([kind, list]) =>
    list.map((record) => ({
      event: `${kind}.read`,
      created_at: '2026-01-01T00:00:00.000000Z',
      payload: record as Record<string, unknown>,
      sound: true,
    })),
  );
  return expectedRows(facts, true);
}
