// How a record's keys become fields: present keys assign, absent ones say nothing.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Fields } from './contract.ts';

type Parts = { readonly [key: string]: Json };

/** Fields that fill the column of their own name. */
export function columns(names: string): Fields {
  return Object.fromEntries(names.split(' ').map((name) => [name, (value: Json) => ({ [name]: value })]));
}

/** A field whose parts are spread over columns beside the whole: `spread('payment', { payment_amount: 'amount' })`. */
export function spread(column: string, parts: Readonly<Record<string, string>>): (value: Json) => StoredRow {
  const spreads = Object.entries(parts);
  return (value) => {
    const row: StoredRow = { [column]: value };
    for (const [to, from] of spreads) row[to] = partOf(value, from);
    return row;
  };
}

export function partOf(value: Json | undefined, key: string): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? ((value as Parts)[key] ?? null) : null;
}

/** The campaign tags of invitees and form submissions. */
export const trackingFields: Fields = {
  tracking: spread('tracking', {
    utm_campaign: 'utm_campaign',
    utm_source: 'utm_source',
    utm_medium: 'utm_medium',
    utm_content: 'utm_content',
    utm_term: 'utm_term',
    salesforce_uuid: 'salesforce_uuid',
  }),
};

/** What a record says, field by field. */
export function said(fields: Fields, record: Readonly<Record<string, unknown>>): Record<string, StoredRow> {
  const assigned: Record<string, StoredRow> = {};
  for (const name in fields) {
    const value = record[name];
    if (value !== undefined) assigned[name] = (fields[name] as Fields[string])(value as Json);
  }
  return assigned;
}
