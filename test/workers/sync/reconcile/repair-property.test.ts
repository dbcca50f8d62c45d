// Whatever was lost, late or delivered twice: the newest fact about a record decides its row, wherever it arrives.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { cut, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { contact, eventType, invitee, recap, submission, type Payload } from '../../../harness/data/payloads.ts';
import { mixedHistory } from '../../../harness/data/api-reads.ts';
import { fold, readObservation } from '../../../harness/mirror/memory-fold.ts';
import { normal, type Record_ } from '../../../harness/data/normal-facts.ts';
import { beyondColumns, fieldColumns, tableOf } from '../../../oracle/columns.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

// Later than anything in a history, by the record's own time and by the time it was sent or requested.
const updated_at = '2025-04-14T11:42:50.000000Z';
const observed = '2025-04-14T11:42:55.000000Z';

const last = fc
  .oneof(
    contact.map((payload) => ({ events: ['contact.read', 'contact.updated'], payload })),
    invitee.map(({ scheduled_event: _none, ...payload }) => ({ events: ['invitee.read', 'invitee.created'], payload })),
    eventType.map((payload) => ({ events: ['event_type.read', 'event_type.updated'], payload })),
    recap.map((payload) => ({ events: ['meeting_recap.read', 'meeting_recap.updated'], payload })),
    submission.map((payload) => ({
      events: ['routing_form_submission.read', 'routing_form_submission.created'],
      payload,
    })),
  )
  .chain(({ events, payload }) =>
    fc.constantFrom(...events).map((event) => ({ event, payload: { ...payload, updated_at } as Payload })),
  );

const repaired = fc
  .tuple(mixedHistory(), last)
  .map(([lossy, { event, payload }]) => ({
    lossy,
    word: wordOf(event, lossy.some(cancels(payload)) ? canceled(payload) : payload),
  }))
  .chain(({ lossy, word }) =>
    fc.record({ word: fc.constant(word), batches: reordered([...lossy, word].map(readObservation)).chain(cut) }),
  );

function wordOf(event: string, payload: Payload): Observation {
  const fact = { event, created_at: observed, payload, sound: true };
  return { fact, body: event.endsWith('.read') ? null : JSON.stringify({ event, created_at: observed, payload }) };
}

/** Canceled is terminal: a service that said so once says so to the end. */
const cancels =
  (payload: Payload) =>
  ({ fact }: Observation): boolean =>
    fact.payload['uri'] === payload['uri'] &&
    (fact.event === 'invitee.canceled' || fact.payload['status'] === 'canceled' || fact.payload['canceled'] === true);
const canceled = (payload: Payload): Payload => ({ ...payload, status: 'canceled' });

describe('the newest word about a record', () => {
  it(
    'is what its row says: an update, a cancel or an unmark that was lost is repaired, and nothing older overwrites it',
    () => {
      fc.assert(
        fc.property(repaired, ({ word, batches }) => {
          const { event, payload } = normal(word.fact);
          const table = tableOf(event);
          const { contents } = fold(batches, { eraseOnDelete: false });
          const row = contents[table]?.find(({ uri }) => uri === payload['uri']) ?? {};
          const says = expected(table, payload);
          expect(canonicalJson(Object.fromEntries(Object.keys(says).map((column) => [column, row[column]])))).toBe(
            canonicalJson(says),
          );
        }),
        runs(60),
      );
    },
    propertyTimeoutMs,
  );
});

/** The columns that the word speaks about, as it has them. */
function expected(table: ReturnType<typeof tableOf>, payload: Record_): Record_ {
  const says: Record_ = {};
  const { extra: _own, ...record }: Record_ = payload;
  // A delete of an event type may say nothing else.
  if (table !== 'event_types' || Object.keys(record).some((key) => key in fieldColumns[table]))
    record['extra'] = beyondColumns(table, payload);
  for (const [field, columns] of Object.entries(fieldColumns[table]))
    if (record[field] !== undefined) Object.assign(says, columns(record[field]));
  // Whether it is deleted is no field of a record.
  const { deleted_at: _at, deleted_source: _source, ...values } = says;
  const noShow = payload['no_show'] as Record_ | null | undefined;
  if (table !== 'invitees') return values;
  const status = payload['canceled'] === true ? { status: 'canceled' } : {};
  return { ...values, ...status, ...(noShow !== undefined && { no_show_uri: noShow?.['uri'] ?? null }) };
}
