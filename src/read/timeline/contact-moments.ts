// What happened to a contact itself, from the log entries about it.
import { isObject, propertyOf } from '#schemas/wire.ts';
import { changedItems, wordsOf, type OptionLabels } from '#src/base/changed-items.ts';
import type { SubjectEntry } from './timeline-rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { erasureEvent } from '#schemas/events.ts';
import type { Moment } from './moment.ts';

/** `entries` are the newest, newest first. */
export function contactMoments(contact: TableRow<'contacts'>, entries: readonly SubjectEntry[]): readonly Moment[] {
  const found = entries.flatMap((entry) => momentOf(contact, entry));
  const first = entries.at(-1);
  const isCreated = found.some(({ kind }) => kind === 'contact_created');
  if (isCreated || contact.created_at === null) return found;
  const created = { kind: 'contact_created', id: 'created', at: contact.created_at } as const;
  const sentence = 'The contact was created.';
  return [...found, { ...created, sentence, subject: contact.uri, ...(first && { seq: first.seq }) }];
}

type Report = Pick<Moment, 'kind' | 'sentence'>;

function momentOf({ uri, deleted_at: deletedAt }: TableRow<'contacts'>, entry: SubjectEntry): readonly Moment[] {
  const report = reportOf(entry);
  if (report === undefined) return [];
  const at = (report.kind === 'contact_deleted' ? deletedAt : null) ?? entry.occurred_at ?? entry.received_at;
  return [{ ...report, id: `entry ${entry.seq}`, at, subject: uri, seq: entry.seq }];
}

/** Undefined for an entry that changed nothing. */
function reportOf({ event, source, outcome, changes }: SubjectEntry): Report | undefined {
  if (outcome === 'quarantined')
    return { kind: 'contact_reported', sentence: 'A delivery about the contact is in quarantine.' };
  if (outcome === 'unhandled')
    return {
      kind: 'contact_reported',
      sentence: `The service sent ${event ?? 'an event'}, a kind that is not known here.`,
    };
  if (event === erasureEvent) return { kind: 'contact_deleted', sentence: 'The contact was erased.' };
  if (event === 'contact.deleted') return { kind: 'contact_deleted', sentence: 'The contact was deleted.' };
  if (event === 'contact.gone') return { kind: 'contact_deleted', sentence: 'The service no longer has the contact.' };
  if (event === 'contact.created') return { kind: 'contact_created', sentence: 'The contact was created.' };
  const changed = changedColumns(changes);
  if (changed.length === 0) return undefined;
  return { kind: 'contact_changed', sentence: `${byWhom(source)}: ${changed.join(', ')}.` };
}

const byWhom = (source: string): string =>
  source === 'webhook' ? 'The contact changed' : 'A comparison with the service changed the contact';

const mostShown = 8;
const longestValue = 60;

/** `The contact changed (company: none → Acme; Budget: none → 12000).`, and undefined where the values are no longer stored. */
export function changeSentence(
  { source, changes }: { readonly source: string; readonly changes: unknown },
  options: OptionLabels,
): string | undefined {
  const stored = propertyOf(changes, 'contacts');
  const columns = Object.entries(isObject(stored) ? stored : {})
    .filter(([name]) => !notShown.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const differences = columns.flatMap(([name, change]) =>
    changedItems(name, Array.isArray(change) ? change : [], options).map(
      ({ item, before, after }) => `${item || columnWords(name)}: ${plainText(before)} → ${plainText(after)}`,
    ),
  );
  if (differences.length === 0) return undefined;
  const more = differences.length > mostShown ? `; and ${differences.length - mostShown} more` : '';
  return `${byWhom(source)} (${differences.slice(0, mostShown).join('; ')}${more}).`;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plainText).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

const notShown = new Set(['updated_at', 'created_at', 'extra', 'primary_email']);

const columnWords = (name: string): string => (name === 'emails' ? 'e-mail addresses' : wordsOf(name));

/** Columns in words; none where the entry was the first about the contact. */
function changedColumns(changes: unknown): readonly string[] {
  const columns = isObject(changes) ? changes['contacts'] : undefined;
  if (!isObject(columns)) return [];
  return Object.keys(columns)
    .filter((name) => !notShown.has(name))
    .map(columnWords)
    .toSorted();
}
