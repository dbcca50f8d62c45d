// The tools about the mirror itself: why a row has its values, the deliveries, and the health.
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import { sources } from '#src/api/deliveries/delivery-records.ts';
import { getMirrorHealth } from '#src/api/overview/overview.ts';
import { explainRow } from '#src/api/why.ts';
import { eventName, isEventName, label, oneOf, ours, rowValue, text, time, uri, word } from './marked.ts';
import { byToken, defineTool } from './tool.ts';

export const why = defineTool(explainRow, {
  name: 'why',
  description:
    'Explains a row: every delivery that touched it, and for each column the entry that set its value. Use it when a value looks wrong, with any URI of another answer.',
  inputs: { uri: true },
  pages: { size: 'limit', from: 'after' },
  present: ({ deliveries, fields, ...row }) => ({
    uri: uri(row.uri),
    table: ours(row.table),
    deleted: row.deleted,
    deliveries: deliveries.map((entry) => ({
      seq: entry.seq,
      event: eventName(entry.event),
      source: oneOf(sources, entry.source),
      occurred_at: time(entry.occurred_at),
      received_at: time(entry.received_at),
      outcome: ours(entry.outcome),
      reason: reasonOf(entry),
      duplicates: entry.duplicates,
      redacted: entry.redacted,
      pruned: entry.pruned,
      changed: Object.entries(entry.changes ?? {}).flatMap(([table, columns]) =>
        Object.entries(columns).map(([column, [before, after]]) => ({
          column: ours(`${table}.${column}`),
          before: rowValue(`${table}.${column}`, before, row.uri),
          after: rowValue(`${table}.${column}`, after, row.uri),
        })),
      ),
    })),
    fields: fields
      .filter(({ value }) => value !== null)
      .map(({ column, value, since, seq }) => ({
        column: ours(column),
        value: rowValue(`${row.table}.${column}`, value, row.uri),
        set_by_seq: since?.seq,
        set_by_event: eventName(since?.event),
        set_at: time(since?.occurred_at),
        last_reported_by_seq: seq,
      })),
  }),
});

export const listDeliveriesTool = defineTool(listDeliveries, {
  name: 'list_deliveries',
  description:
    'Lists deliveries and records that were read from the service, newest first, with what became of each. Use it with outcome quarantined for those that could not be applied, and with subject for one record.',
  inputs: {
    event: 'The kind, such as invitee.created.',
    outcome: true,
    source: true,
    subject: true,
    address: true,
    min_received_at: true,
    max_received_at: true,
  },
  revealedInputs: { q: true },
  fixed: { include: 'sentence' },
  pages: byToken,
  present: ({ collection, last_seq: lastSeq }) => ({
    last_seq: lastSeq,
    deliveries: collection.map((delivery) => ({
      seq: delivery.seq,
      source: word(delivery.source),
      event: eventName(delivery.event),
      // A delivery of an unknown kind may say anything there.
      subject: isEventName(delivery.event ?? '') ? uri(delivery.subject_uri) : text(delivery.subject_uri),
      occurred_at: time(delivery.occurred_at),
      received_at: time(delivery.received_at),
      outcome: word(delivery.outcome),
      reason: reasonOf(delivery),
      duplicates: delivery.duplicates,
      redacted: delivery.redacted,
      sentence: text(delivery.sentence),
    })),
  }),
});

/** The reason of a quarantine names a path and what was expected there, never a value. Others may repeat what was sent. */
const reasonOf = ({ outcome, reason }: { readonly outcome: string; readonly reason: string | null }) =>
  outcome === 'quarantined' ? label(reason) : text(reason);

export const mirrorHealth = defineTool(getMirrorHealth, {
  name: 'mirror_health',
  description:
    'Says how the mirror is: whether all is well, each check with what to do, and what waits for a person. Use it first when data seems to be missing or old.',
  present: ({ verdict, health, needs_you: needs }) => ({
    verdict: { state: word(verdict.state), sentence: ours(verdict.sentence) },
    health: health.map(({ id, state, sentence, fix }) => ({
      check: ours(id),
      state: word(state),
      sentence: ours(sentence),
      fix: ours(fix),
    })),
    needs_you: needs.map(({ id, count, sentence }) => ({ list: word(id), count, sentence: ours(sentence) })),
  }),
});
