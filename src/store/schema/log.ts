// The tables of the log: its entries, and how far its readers have come.
import { flag, integer, json, table, text, time, uri } from './declaration.ts';

export const sources = ['webhook', 'backfill', 'reconcile', 'operator'] as const;
export const outcomes = ['applied', 'unchanged', 'superseded', 'tombstoned', 'quarantined', 'unhandled'] as const;

/** The truth. `body` is the raw body as it came (text: it must stay what was signed), a stub once `redacted`. */
export const eventLog = table({
  name: 'event_log',
  key: ['seq'],
  readable: 'all',
  fast: ['seq', 'received_at'],
  about: 'One row per delivery or API record, in the order of commit. All other mirrored tables follow from it.',
  columns: {
    seq: integer('position in the log; rises in the order of commit'),
    delivery_id: text('identity of the content: a second copy is counted in `duplicates`', {
      holds: 'plain',
      required: true,
    }),
    source: text('where it came from', {
      oneOf: sources,
      required: true,
    }),
    // A kind that this version does not know can have any name.
    event: text('kind of event, such as `invitee.created`', { holds: 'text' }),
    subject_uri: uri('URI of the record that the entry is about: `uri` of its table'),
    occurred_at: time('when it happened, by the clock of the service'),
    received_at: time('when it arrived here', { required: true }),
    outcome: text('effect on the tables; see [The log](#the-log)', {
      oneOf: outcomes,
      required: true,
    }),
    reason: text('why it is in quarantine, or a note on a value that exceeds a limit', { holds: 'plain' }),
    duplicates: integer('how many more copies arrived', { required: true }),
    changes: json('the fields that it changed, before and after; see [The log](#the-log)', { holds: 'person' }),
    body: text('the delivery as it arrived; null once pruned', { holds: 'person', readable: 'admin' }),
    encoding: text('set where the body is not valid text', { oneOf: ['base64'] }),
    tie: text('decides between two facts of the same moment', { holds: 'plain', required: true }),
    redacted: flag('true when personal data was removed from the entry', { required: true }),
    dismissed_at: time(
      'when an operator dismissed an entry that could not be applied; null while it waits, or was applied',
    ),
  },
});

export const feedConsumers = table({
  name: 'feed_consumers',
  key: ['name'],
  readable: 'all',
  about: 'One row per named reader of the feed.',
  columns: {
    name: text('name of the reader', { holds: 'plain' }),
    position: integer('the last entry that it has read', { joins: 'event_log.seq', required: true }),
    updated_at: time('when it last moved', { required: true }),
  },
});
