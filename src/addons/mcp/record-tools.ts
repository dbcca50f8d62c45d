// The tools about one record and about the mirror itself: what happened with a person, why a row has its values, and the health.
import { z } from 'zod';
import { sources } from '#src/api/deliveries/delivery-records.ts';
import { getMirrorHealth } from '#src/api/overview/overview.ts';
import { getContactTimeline } from '#src/api/people/timeline.ts';
import { queryTable } from '#src/api/tables/tables.ts';
import { explainRow } from '#src/api/why.ts';
import { contactsByAddress } from '#src/read/contacts/contacts-by-address.ts';
import { idOf } from '#schemas/wire.ts';
import { eventName, label, oneOf, ours, rowValue, text, time, uri, word } from './marked.ts';
import { defineTool, refusal, type ToolCall } from './tool.ts';

const pages = { rows: 10, most: 50, limit: 'How many records at most.' } as const;

export const timeline = defineTool({
  name: 'timeline',
  description:
    'Lists what happened with one person, newest first: bookings, moves, cancellations, no-shows, recaps, forms, alerts. Use it with a whole address that you were given, or with the URI of a contact or of an invitee.',
  input: {
    record: z.string().min(1).max(1_024).optional().describe('The URI of a contact, or of an invitee of a booking.'),
    email: z.string().min(3).max(320).optional().describe('The whole e-mail address, in any letter case.'),
  },
  pages,
  async answer(call, { record, email }) {
    const contact = await contactOf(call, { record, email });
    const { collection, pagination } = await call.ask(getContactTimeline, {
      params: { uuid: idOf(contact) },
      query: { count: String(call.rows), ...(call.from !== undefined && { page_token: call.from }) },
    });
    const items = collection.map((item) => ({
      time: time(item.time),
      kind: word(item.kind),
      sentence: text(item.sentence),
      meeting_start: time(item.meeting_start),
      subject: uri(item.subject_uri),
      seq: item.seq,
    }));
    return { data: { contact: uri(contact), timeline: items }, next: pagination.next_page_token ?? undefined };
  },
});

interface Whose {
  readonly record: string | undefined;
  readonly email: string | undefined;
}

/** The URI of the contact. */
async function contactOf({ ask, context }: ToolCall, { record, email }: Whose): Promise<string> {
  if ((record === undefined) === (email === undefined)) throw refusal(400, 'Give either record or email.');
  const address = email ?? (await addressOf(ask, record ?? ''));
  if (address === undefined) return record ?? '';
  const lowerCase = address.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [contact] = (await contactsByAddress(context.reading, [lowerCase])).get(lowerCase) ?? [];
  if (contact === undefined)
    throw refusal(400, 'No contact has this address. query_table finds the bookings of an invitee_email.');
  return contact;
}

/** Of an invitee; undefined for any other record. */
async function addressOf(ask: ToolCall['ask'], record: string): Promise<string | undefined> {
  const query = { uri: `eq.${record}`, select: 'email' };
  const { collection } = await ask(queryTable, { params: { name: 'invitees' }, query });
  return z.object({ email: z.string() }).safeParse(collection[0]).data?.email;
}

export const why = defineTool({
  name: 'why',
  description:
    'Explains a row: every delivery that touched it, and for each column the entry that set its value. Use it when a value looks wrong, with any URI of another answer.',
  input: { record: z.string().min(1).max(1_024).describe('The URI of the row, compared exactly.') },
  pages,
  async answer({ ask, rows, from }, { record }) {
    const query = { uri: record, limit: String(rows), ...(from !== undefined && { after: from }) };
    const { deliveries, fields, next_after: after, ...row } = await ask(explainRow, { query });
    const data = {
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
        // That of a quarantine names a path and what was expected there, never a value. Others may repeat what was sent.
        reason: entry.outcome === 'quarantined' ? label(entry.reason) : text(entry.reason),
        duplicates: entry.duplicates,
        redacted: entry.redacted,
        pruned: entry.pruned,
        changed: Object.entries(entry.changes ?? {}).flatMap(([table, columns]) =>
          Object.entries(columns).map(([column, [before, after_]]) => ({
            column: ours(`${table}.${column}`),
            before: rowValue(`${table}.${column}`, before, row.uri),
            after: rowValue(`${table}.${column}`, after_, row.uri),
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
    };
    return { data, next: after === null ? undefined : String(after) };
  },
});

export const health = defineTool({
  name: 'health',
  description:
    'Says how the mirror is: whether all is well, each check with what to do, and what waits for a person. Use it first when data seems to be missing or old.',
  input: {},
  async answer({ ask }) {
    const { verdict, health: checks, needs_you: needs } = await ask(getMirrorHealth);
    return {
      data: {
        verdict: { state: word(verdict.state), sentence: ours(verdict.sentence) },
        health: checks.map(({ id, state, sentence, fix }) => ({
          check: ours(id),
          state: word(state),
          sentence: ours(sentence),
          fix: ours(fix),
        })),
        needs_you: needs.map(({ id, count, sentence }) => ({ list: word(id), count, sentence: ours(sentence) })),
      },
    };
  },
});
