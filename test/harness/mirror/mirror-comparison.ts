// Holds a mirror against the service it mirrors: every row of every table, field by field, as the model of the fold has them.
import { expect } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { contactRecord } from '#src/sandbox/world/contacts/contacts.ts';
import { eventTypeRecord, organizationOf } from '#src/sandbox/world/event-types.ts';
import { publicLocation } from '#src/sandbox/world/public-records.ts';
import type { Store } from '#src/store/contract.ts';
import { expectedRows } from '../../oracle/fold.ts';
import type { TestSandbox } from '../sandbox.ts';
import { keyColumnsOf, rowsOf, type MirroredName } from '../stores.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

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

/** A line for each row that is missing, is one too many, or has another value: `contacts https://…/1 is {…}, not {…}`. */
export async function mirrorDifferences(
  store: Store,
  sandbox: TestSandbox,
  { recapsOf, except = [] }: ComparisonOptions = {},
): Promise<readonly string[]> {
  // The public service sends the place of a recap's meeting in another shape than it answers with.
  const location = sandbox.service.options.as === 'public' ? ['event_location'] : [];
  const unlike = new Set([...except, ...notListed, ...answers, ...location]);
  const model: Readonly<Record<string, Rows>> = modelRows(sandbox, recapsOf);
  const differences: string[] = [];
  for (const table of tables.filter((name) => !unlike.has(name))) {
    const rows = model[table] ?? [];
    const columns = Object.keys(rows[0] ?? {}).filter((column) => !unlike.has(column));
    const key = keyColumnsOf(table);
    const textsOf = (some: Rows) =>
      new Map(
        some.map((row) => [
          key.map((column) => String(row[column])).join(' '),
          canonicalJson(Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))),
        ]),
      );
    const [wanted, found] = [textsOf(rows), textsOf(await liveRows(store, table))];
    for (const one of new Set([...wanted.keys(), ...found.keys()]))
      if (wanted.get(one) !== found.get(one))
        differences.push(`${table} ${one} is ${found.get(one)}, not ${wanted.get(one)}`);
  }
  return differences;
}

/** What is deleted is not there; an invitee's no-show that was taken back is history, which no list shows. */
async function liveRows(store: Store, table: MirroredName): Promise<Rows> {
  const rows: Rows = await rowsOf(store, table);
  return rows.filter((row) => (row['deleted_at'] ?? null) === null && (row['unmarked_at'] ?? null) === null);
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
  const isPublic = service.options.as === 'public';
  const events = [...state.scheduledEvents.values()]
    .filter(({ event_memberships }) => isOwn(event_memberships.map(({ user }) => user)))
    .map((meeting) => (isPublic ? { ...meeting, location: publicLocation(meeting) } : meeting));
  const forms = [...state.routingForms.values()].filter((form) => form.organization === organization);
  const memberships = state.memberships.of('organization', organization);
  const definitions = state.definitions.of('organization', organization).map((one) => ({
    ...one,
    options: one.options?.map((option) => (isPublic ? { ...option, color: null, is_active: true } : option)),
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
