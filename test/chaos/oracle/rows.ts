// Compares every projected row of a store with the model of the fold, column by column and with times in full.
import type { Fact } from '../../harness/data/delivery-histories.ts';
import { sortKeys, type Json, type Record_ } from '../../harness/data/normal-facts.ts';
import { expectedRows } from '../../oracle/fold.ts';
import { remainsOf, type Erased } from './erased.ts';
import { openReader, promisedTable, readTable } from './read.ts';

export interface Expectation {
  readonly facts: readonly Fact[];
  readonly erased: Erased;
}

/** What deliveries fill, and two that only reading the service fills, which no chaos run does: they must be empty. */
const tables =
  `contacts contact_emails contact_phone_numbers contact_custom_fields custom_field_definitions scheduled_events
  invitees invitee_answers no_shows event_types meeting_recaps routing_forms routing_form_submissions routing_form_answers users
  organization_memberships`.split(/\s+/);

/** How the product orders facts is its own business; which fields lag behind is not. */
const internal = new Set(['version', 'no_show_facts']);

/** One line per row that differs. */
export async function compareRows(store: string, { facts, erased }: Expectation): Promise<string[]> {
  const model = expectedRows(facts, true);
  const lines: string[] = [];
  await using reader = await openReader(store);
  for (const name of tables) {
    const table = promisedTable(name);
    const keyOf = (row: Record_): string => table.key.map((column) => String(row[column])).join(' ');
    const found = new Map((await readTable(reader, name, table)).map((row) => [keyOf(row), row]));
    const expected = new Map(
      (model[name] ?? []).filter((row) => !isErasedAnswer(name, row, erased)).map((row) => [keyOf(row), row]),
    );
    for (const key of new Set([...expected.keys(), ...found.keys()])) {
      const row = expected.get(key);
      const isErased = erased.concerns(name, key) && name !== 'contacts';
      const compared = row && isErased ? remainsOf(name, row) : row;
      const columns = compared && isErased ? Object.keys(compared) : [...table.columns.keys()];
      const difference = differenceOf(
        compared,
        found.get(key),
        columns.filter((column) => !internal.has(column)),
      );
      if (difference !== null) lines.push(`${name} ${key}: ${difference}`);
      else if (holdsOne(found.get(key), erased.traces)) lines.push(`${name} ${key}: an erased person is in it`);
    }
  }
  return lines;
}

/** Whether a row or an entry contains one of these texts, which are in lower case. */
export function holdsOne(row: Record_ | undefined, texts: readonly string[]): boolean {
  const text = texts.length === 0 ? '' : JSON.stringify(row).toLowerCase();
  return texts.some((each) => text.includes(each));
}

const isErasedAnswer = (name: string, row: Record_, { concerns }: Erased): boolean =>
  (name === 'invitee_answers' && concerns('invitees', String(row['invitee_uri']))) ||
  (name === 'routing_form_answers' && concerns('routing_form_submissions', String(row['submission_uri'])));

function differenceOf(
  expected: Record_ | undefined,
  found: Record_ | undefined,
  columns: readonly string[],
): string | null {
  if (found === undefined) return 'the row is missing';
  if (expected === undefined) return 'no such row is expected';
  const different = columns
    .map((column) => {
      const actual = column === 'lagging' ? laggingFields(found[column]) : (found[column] ?? null);
      return [column, text(expected[column] ?? null), text(actual)] as const;
    })
    .filter(([, wanted, actual]) => wanted !== actual)
    .map(([column, wanted, actual]) => `${column}: expected ${shortened(wanted)}, found ${shortened(actual)}`);
  return different.length === 0 ? null : different.join('; ');
}

function laggingFields(value: Json | undefined): Json {
  const names = Object.keys((value ?? {}) as Record_).toSorted();
  return names.length === 0 ? null : names;
}

const text = (value: Json): string => JSON.stringify(typeof value === 'object' ? sortKeys(value) : value);
const shortened = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value);
