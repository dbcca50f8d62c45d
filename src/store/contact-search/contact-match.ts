// Whether a contact matches a search (A17): it matches every filter by at least one of its segments. Exact filters compare character
// by character, partial ones find the segment anywhere in the text, in any case. The database only narrows down the candidates.
import { contactFilters } from '#schemas/contact-request.ts';
import type { ContactListQuery } from '#schemas/contact-request.ts';

export type FilterName = keyof typeof contactFilters;
export type ContactSearch = Partial<Pick<ContactListQuery, FilterName>>;

/** Filters on a column of the contact itself. */
export const columnFilters = ['timezone', 'country', 'state', 'name', 'job_title', 'company', 'city'] as const;
export type ColumnFilter = (typeof columnFilters)[number];
/** Filters on one of many addresses or numbers. */
const listFilters = ['email', 'phone_number'] as const;
export type ListFilter = (typeof listFilters)[number];

export interface FilterValue<Name extends FilterName = FilterName> {
  readonly name: Name;
  readonly kind: 'exact' | 'partial';
  /** Those of partial filters in lower case. */
  readonly segments: readonly string[];
}

export interface ContactFilters {
  readonly lists: readonly FilterValue<ListFilter>[];
  readonly columns: readonly FilterValue<ColumnFilter>[];
}

export type TextsOf = Readonly<Record<ColumnFilter, string | null>>;

/** The filters of a search; undefined when nothing can match. */
export function searched(search: ContactSearch): ContactFilters | undefined {
  const lists = listFilters.flatMap((name) => asked(search, name));
  const columns = columnFilters.flatMap((name) => asked(search, name));
  const impossible = [...lists, ...columns].some(({ segments }) => segments.length === 0);
  return impossible ? undefined : { lists, columns };
}

function asked<Name extends FilterName>(search: ContactSearch, name: Name): readonly FilterValue<Name>[] {
  const given = search[name] ?? [];
  if (given.length === 0) return [];
  const kind = contactFilters[name];
  // No text contains NUL (A7), and engines truncate or reject such a parameter.
  const possible = given.filter((segment) => !segment.includes('\0'));
  const segments = new Set(kind === 'partial' ? possible.map((segment) => segment.toLowerCase()) : possible);
  return [{ name, kind, segments: [...segments] }];
}

export const meets = (texts: TextsOf, { columns }: Pick<ContactFilters, 'columns'>): boolean =>
  columns.every((filter) => fits(texts[filter.name], filter));

export function fits(value: string | null, { kind, segments }: Omit<FilterValue, 'name'>): boolean {
  if (value === null) return false;
  if (kind === 'exact') return segments.includes(value);
  const lowered = value.toLowerCase();
  return segments.some((segment) => lowered.includes(segment));
}
