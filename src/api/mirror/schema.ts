// The schema radar: kinds of events and fields of records that the service sends and this version does not know.
import { z } from 'zod';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { meetingRecapResource, transcriptResource } from '#schemas/resources/meeting-recap.ts';
import { routingFormResource, routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { membershipResource, userResource } from '#schemas/resources/user.ts';
import { instant } from '#schemas/resources/values.ts';
import { recordReaders, type RecordKind } from '#schemas/records.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import type { Store } from '#src/store/contract.ts';
import { bodiesOf, extrasOf, newestEntries, unknownKinds, type SampledEntry } from '#src/store/log/schema-sample.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { embeddings, tableOfEvent, tableOfKind } from '#workers/projections/touches.ts';

const count = z.int().min(0);
const example = z
  .strictObject({ seq: count, delivery_id: z.string(), event: z.string().nullable(), received_at: instant })
  .describe('The log entry in which it was first seen.');

const schemaRecord = z
  .strictObject({
    kinds: z.array(
      z.strictObject({
        event: z.string(),
        count: count.describe('Among the examined entries.'),
        first: example,
        last_received_at: instant,
      }),
    ),
    fields: z.array(
      z.strictObject({
        table: z.string(),
        field: z.string().describe('In the column `extra` of the table.'),
        type: z.string().describe('Of the first value: `string`, `number`, `boolean`, `array`, `object` or `null`.'),
        rows: count.describe('Examined rows that have it.'),
        first: example
          .nullable()
          .describe('The first examined entry with it; null when none of those that were read has it.'),
      }),
    ),
    examined: z.strictObject({
      unhandled: count.describe('The newest entries of unknown kinds.'),
      unhandled_limit: count,
      entries: count.describe('The newest entries of the log, whose rows were searched for unknown fields.'),
      entries_limit: count,
      rows: count,
      since: instant.nullable().describe('When the first of these entries was received.'),
    }),
  })
  .meta({ id: 'SchemaRadar' });

/** Bounds of one request: it must not scan the log. */
const bounds = { unhandled: 5_000, kinds: 50, entries: 1_000, fields: 100, bodiesPerField: 3 };

export const getSchema = defineOperation({
  id: 'getSchema',
  method: 'GET',
  path: '/api/schema',
  tag: 'Mirror',
  summary: 'Kinds and fields that the service sends and this version does not know',
  description:
    'Nothing is lost: entries of unknown kinds are stored and can be replayed after an upgrade, and unknown fields are in the column `extra`. Only the newest entries are examined; `examined` says how many.',
  answers: 'object',
  schema: schemaRecord,
  async run({ store }): Promise<z.output<typeof schemaRecord>> {
    const { kinds, examined } = await unknownKinds(store, { entries: bounds.unhandled, kinds: bounds.kinds });
    const entries = await newestEntries(store, bounds.entries);
    const { fields, rows } = await unknownFields(store, entries);
    return {
      kinds: kinds.map(({ event, count: found, first, lastAt }) => ({
        event,
        count: found,
        first: shownEntry(first),
        last_received_at: lastAt,
      })),
      fields,
      examined: {
        unhandled: examined,
        unhandled_limit: bounds.unhandled,
        entries: entries.length,
        entries_limit: bounds.entries,
        rows,
        since: entries[0]?.received_at ?? null,
      },
    };
  },
});

export const schemaOperations = [getSchema] as const;

const shownEntry = ({ seq, delivery_id, event, received_at }: SampledEntry) => ({
  seq,
  delivery_id,
  event,
  received_at,
});

const resources: Readonly<Record<RecordKind, z.ZodObject>> = {
  contact: contactResource,
  custom_field_definition: customFieldDefinitionResource,
  event_type: eventTypeResource,
  invitee: inviteeResource,
  meeting_recap: meetingRecapResource,
  meeting_recap_transcript: transcriptResource,
  organization_membership: membershipResource,
  routing_form: routingFormResource,
  routing_form_submission: routingFormSubmissionResource,
  scheduled_event: scheduledEventResource,
  user: userResource,
};

/** The fields that the specification has. Some of them have no column, and are in `extra` too. */
const documented = new Map<string, ReadonlySet<string>>(
  Object.entries(resources).map(([kind, resource]) => {
    const reader = Object.entries(recordReaders).find(([name]) => name === kind)?.[1].schema;
    const known = reader instanceof z.ZodObject ? Object.keys(reader.shape) : [];
    return [kind, new Set([...Object.keys(resource.shape), ...known])];
  }),
);
const documentedIn = (table: MirrorTable): ReadonlySet<string> | undefined => {
  const kind = Object.entries(tableOfKind).find(([, each]) => each === table)?.[0];
  return documented.get(kind ?? '');
};

type EntriesByRow = Map<string, SampledEntry[]>;

interface Found {
  readonly table: MirrorTable;
  readonly field: string;
  readonly type: string;
  rows: number;
  readonly entries: SampledEntry[];
}

/** Looks at the rows that the entries are about, and at the rows of the records that these embed. */
async function unknownFields(store: Pick<Store, 'db' | 'engine'>, entries: readonly SampledEntry[]) {
  const byTable = new Map<MirrorTable, EntriesByRow>();
  const add = (table: MirrorTable, uri: string, about: readonly SampledEntry[]): void => {
    const rows = byTable.get(table) ?? new Map<string, SampledEntry[]>();
    byTable.set(table, rows.set(uri, [...(rows.get(uri) ?? []), ...about]));
  };
  for (const entry of entries) {
    const table = tableOfEvent(entry.event);
    if (table !== undefined && entry.subject_uri !== null) add(table, entry.subject_uri, [entry]);
  }
  const found = new Map<string, Found>();
  let examined = 0;
  const search = async (table: MirrorTable, rows: EntriesByRow): Promise<void> => {
    const embedding = embeddings.find(({ within }) => within === table);
    for (const { uri, extra, embedded } of await extrasOf(store, table, [...rows.keys()])) {
      examined += 1;
      const about = rows.get(uri) ?? [];
      if (embedding && embedded !== null) add(embedding.table, embedded, about);
      for (const [field, value] of Object.entries(extra ?? {})) {
        if (documentedIn(table)?.has(field)) continue;
        const known = found.get(`${table}.${field}`) ?? { table, field, type: typeOf(value), rows: 0, entries: [] };
        known.rows += 1;
        known.entries.push(...about);
        found.set(`${table}.${field}`, known);
      }
    }
  };
  // Rows that others embed come last, when the embedding rows have named them.
  const embeddedTables: readonly string[] = embeddings.map(({ table }) => table);
  for (const [table, rows] of byTable) if (!embeddedTables.includes(table)) await search(table, rows);
  for (const { table } of embeddings) await search(table, byTable.get(table) ?? new Map());
  const most = [...found.values()].toSorted((one, other) => other.rows - one.rows).slice(0, bounds.fields);
  const fields = [];
  for (const { entries: about, ...field } of most)
    fields.push({ ...field, first: await firstWith(store, field.field, about) });
  return { fields, rows: examined };
}

/** The first of these entries whose body has the field; a body may have been pruned. */
async function firstWith(store: Pick<Store, 'db' | 'engine'>, field: string, entries: readonly SampledEntry[]) {
  const inOrder = entries.toSorted((one, other) => one.seq - other.seq);
  // A field that appeared lately is in the newest ones only.
  const read = [...new Set([...inOrder.slice(0, bounds.bodiesPerField), ...inOrder.slice(-bounds.bodiesPerField)])];
  const bodies = await bodiesOf(
    store,
    read.map(({ seq }) => seq),
  );
  const first = read.find(({ seq }) => bodies.get(seq)?.includes(JSON.stringify(field)));
  return first ? shownEntry(first) : null;
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
