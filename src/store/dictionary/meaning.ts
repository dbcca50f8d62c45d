// How the meaning of a table and of its columns is written.
import type { ColumnName, TableName } from '#src/store/tables.ts';

/** A phrase without a full stop; `joins` is the column of another table that has the same value. */
export type Meaning = string | { readonly about: string; readonly joins: string };

export interface TableMeaning<Column extends string> {
  readonly about: string;
  readonly columns: Readonly<Record<Column, Meaning>>;
}

/** A table or a column that is missing here does not compile. */
export type TableMeanings = { readonly [Name in TableName]: TableMeaning<ColumnName<Name>> };

type Target = { [Name in TableName]: `${Name}.${ColumnName<Name>}` }[TableName];

/** The meaning of a column that refers to a row of another table. */
export const joins = (target: Target, about: string): Meaning => ({ about, joins: target });

/** The fields that the fold needs, in every mirrored table. */
export const foldColumns = {
  as_of: 'when the newest fact in the row was observed, by the clock of the service',
  version: 'the greatest version among the fields of the row; it decides which of two facts is newer',
  lagging: 'versions of the fields that are older than `version`; usually empty',
  extra: 'fields of the service that have no column; null when there are none',
};

export const timeColumns = {
  created_at: 'when it was created at the service',
  updated_at: 'when it was last changed at the service',
};

export const deletedColumns = {
  deleted_at: 'when it was deleted; null while it exists',
  deleted_source: 'what reported the deletion: `webhook`, `reconcile` or `operator`',
};

export const trackingColumns = {
  tracking: 'all tracking parameters, as sent',
  utm_campaign: 'UTM tag',
  utm_source: 'UTM tag',
  utm_medium: 'UTM tag',
  utm_content: 'UTM tag',
  utm_term: 'UTM tag',
  salesforce_uuid: 'Salesforce record, from the tracking parameters',
};
