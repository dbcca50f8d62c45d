// Blank rows of meetings: an invitee names the meeting, and nothing has described it. The rows are there to be joined with; lists and
// records of meetings, counts, exports and the feed leave them out, by the conditions here.
import { sql, type SqlBool } from 'kysely';
import type { Json } from './columns.ts';
import type { TableName } from './schema/tables.ts';

/** Of a row of `scheduled_events`. */
const isDescribed = sql<SqlBool>`scheduled_events.version is not null`;

/** As `not isDescribed`, by the index on the start. */
export const isBlank = sql<SqlBool>`scheduled_events.start_time is null and scheduled_events.version is null`;

/** The conditions of a query of one table that leaves blank rows out. */
export const withoutBlank = (table: string): readonly (typeof isDescribed)[] =>
  table === 'scheduled_events' ? [isDescribed] : [];

/** The same of a row that was read. */
export const isBlankRow = (table: TableName, { version }: Readonly<Record<string, Json>>): boolean =>
  table === 'scheduled_events' && version === null;
