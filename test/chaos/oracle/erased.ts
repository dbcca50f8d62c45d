// Whom an erasure by the operator reaches, and what stays of their records: the rules of docs/erasure.md, for facts from before it.
import type { Fact } from '../../harness/data/delivery-histories.ts';
import { normal, type Json, type Record_ } from '../../harness/data/normal-facts.ts';
import { tableOf } from '../../oracle/columns.ts';

export interface Erased {
  /** Whether a row belongs to an erased person, or has parts that do. */
  concerns(table: string, uri: string): boolean;
  /** Addresses, names and URIs of those people: a log entry that contains none of them has no reason to be redacted. */
  readonly marks: readonly string[];
  /** Addresses and names: no row and no log entry may contain them. */
  readonly traces: readonly string[];
}

interface Remains {
  /** Columns that stay as they were. */
  readonly stays: readonly string[];
  /** Columns that are null. Of the others the documentation says nothing. */
  readonly goes: readonly string[];
}

const times = ' created_at updated_at as_of';
const tags = ' utm_campaign utm_source utm_medium utm_content utm_term';
const remains = (stays: string, goes: string): Remains => ({
  stays: `uri ${stays}${times}`.split(' '),
  goes: goes.split(' '),
});

const remainsByTable: Readonly<Record<string, Remains>> = {
  invitees: remains(
    `status event_uri rescheduled old_invitee new_invitee routing_form_submission no_show_uri no_show_at canceled_at payment_amount payment_currency${tags}`,
    'email name first_name last_name timezone questions_and_answers text_reminder_number cancel_url reschedule_url payment_external_id payment_terms canceled_by cancel_reason salesforce_uuid',
  ),
  scheduled_events: remains(
    'name status start_time end_time event_type hosts guests invitees_counter',
    'meeting_notes_plain meeting_notes_html',
  ),
  meeting_recaps: remains(
    'event_uri event_start_time event_end_time deleted_at deleted_source',
    'transcript summary_md action_items_md discussion_md share_link speakers',
  ),
  routing_form_submissions: remains(`routing_form result_type submitter${tags}`, 'questions_and_answers'),
};

/** The columns of a row of an erased person that can be compared, with their values. A contact has none left: the model knows that. */
export function remainsOf(table: string, row: Record_): Record_ {
  const rule = remainsByTable[table];
  if (rule === undefined) return row;
  const kept = rule.stays.map((column) => [column, row[column] ?? null] as const);
  return Object.fromEntries([...kept, ...rule.goes.map((column) => [column, null] as const)]);
}

export function erasedBy(facts: readonly Fact[], erased: readonly string[]): Erased {
  const records = facts.map((fact) => normal(fact)).map(({ event, payload }) => ({ table: tableOf(event), payload }));
  const addresses = new Set(erased.map((address) => address.toLowerCase()));
  const names = new Set<string>();
  const concerned = new Map<string, Set<string>>();
  const add = (table: string, uri: Json | undefined): void => {
    if (typeof uri === 'string') concerned.set(table, (concerned.get(table) ?? new Set()).add(uri));
  };
  const has = (table: string, uri: Json | undefined): boolean => concerned.get(table)?.has(String(uri)) ?? false;
  const holds = (value: Json | undefined): boolean => {
    const text = JSON.stringify(value ?? null).toLowerCase();
    return [...addresses].some((address) => text.includes(address));
  };
  const of = (wanted: string) => records.filter(({ table }) => table === wanted).map(({ payload }) => payload);
  const rememberName = (name: Json | undefined): void => void (typeof name === 'string' && names.add(name));

  if (addresses.size > 0) {
    for (const { uri, emails } of of('contacts')) if (holds(emails)) add('contacts', uri);
    const theirs = of('contacts').filter(({ uri }) => has('contacts', uri));
    for (const { name, emails } of theirs) {
      rememberName(name);
      for (const { email } of (emails ?? []) as { email: string }[]) addresses.add(email.toLowerCase());
    }
    for (const { uri, email } of of('invitees')) if (holds(email)) add('invitees', uri);
    for (const { uri, name, event, routing_form_submission } of of('invitees')) {
      if (!has('invitees', uri)) continue;
      rememberName(name);
      add('scheduled_events', event);
      add('routing_form_submissions', routing_form_submission);
    }
    for (const { uri, event } of of('meeting_recaps'))
      if (has('scheduled_events', (event as Record_ | undefined)?.['uri'])) add('meeting_recaps', uri);
    for (const { uri, questions_and_answers, submitter } of of('routing_form_submissions'))
      if (holds(questions_and_answers) || has('invitees', submitter)) add('routing_form_submissions', uri);
  }
  const traces = [...addresses, ...names].map((trace) => trace.toLowerCase());
  return {
    concerns: has,
    traces,
    marks: [...traces, ...[...concerned.values()].flatMap((uris) => [...uris]).map((uri) => uri.toLowerCase())],
  };
}
