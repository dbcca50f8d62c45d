// Compares every projected row of a store with the model of the fold, column by column and with times in full.
import type { Fact } from '../../harness/data/delivery-histories.ts';
import { sortKeys, type Json, type Record_ } from '../../harness/data/normal-facts.ts';
import { expectedRows } from '../../oracle/fold.ts';
import { promisedTable, readTable } from './read.ts';

export interface Expectation {
  readonly facts: readonly Fact[];
  readonly eraseOnDelete: boolean;
}

/** What deliveries fill. The others are filled by reading the service, which no chaos run does: they must be empty. */
const tables =
  `contacts contact_emails contact_phone_numbers contact_custom_fields custom_field_definitions scheduled_events
  invitees invitee_answers no_shows event_types meeting_recaps routing_forms routing_form_submissions routing_form_answers users
  organization_memberships`.split(/\s+/);

/** How the product orders facts is its own business; which fields lag behind is not. */
const internal = new Set(['version', 'no_show_facts']);

/** One line per row that differs. */
export async function compareRows(store: string, { facts, eraseOnDelete }: Expectation): Promise<string[]> {
  const expected = expectedRows(facts, eraseOnDelete);
  const lines: string[] = [];
  for (const name of tables) {
    const table = promisedTable(name);
    const keyOf = (row: Record_): string => table.key.map((column) => String(row[column])).join(' ');
    const found = new Map((await readTable(store, name, table)).map((row) => [keyOf(row), row]));
    for (const row of expected[name] ?? []) {
      const key = keyOf(row);
      const difference = differenceOf(row, found.get(key), [...table.columns.keys()]);
      found.delete(key);
      if (difference !== null) lines.push(`${name} ${key}: ${difference}`);
    }
    lines.push(...[...found.keys()].map((key) => `${name} ${key}: expected no such row`));
  }
  return lines;
}

function differenceOf(expected: Record_, found: Record_ | undefined, columns: readonly string[]): string | null {
  if (found === undefined) return 'the row is missing';
  const different = columns
    .filter((column) => !internal.has(column))
    .map((column) => {
      const isLagging = column === 'lagging';
      const actual = isLagging ? laggingFields(found[column]) : (found[column] ?? null);
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

const text = (value: Json): string => JSON.stringify(sortKeys(value));
const shortened = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value);
