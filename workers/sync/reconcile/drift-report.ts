// Drift: rows in which the mirror and the service differ. Rows are listed by kind and URI, fields by name; values are left out,
// because they are personal data.
import { isDeepStrictEqual } from 'node:util';
import type { RecordKind } from '#schemas/records.ts';
import { isObject } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { DriftHow } from '#src/store/jobs/drift-counts.ts';
import { tableOfKind } from '#workers/fold/projections/touches.ts';
import type { ChangedRecord } from '#workers/sync/records.ts';

export interface Drift {
  /**
   * `meeting_dates`: a contact differs only in dates for which the service sends no webhook. It is normal, and counted apart.
   * `definitions`: it differs only because custom fields were added, renamed or removed, for which there is no webhook either.
   */
  readonly how: DriftHow | 'meeting_dates' | 'definitions';
  readonly kind: RecordKind;
  readonly uri: string;
  /** The columns that differ; empty for missing and extra rows. */
  readonly fields: readonly string[];
}

/** The service computes these dates of a contact from its meetings, and sends no webhook when they change. */
const meetingDates = ['next_meeting_date', 'last_meeting_date', 'last_interaction_date'];

/** The time of the change may move with the meeting dates. */
const unannounced = new Set([...meetingDates, 'updated_at']);

export function driftOf({ kind, uri, how, changes }: ChangedRecord): Drift {
  if (how === 'created') return { how: 'missing', kind, uri, fields: [] };
  const own = tableOfKind[kind];
  const fields = Object.entries(changes ?? {}).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => (table === own ? column : `${table}.${column}`)),
  );
  return {
    how: kind === 'contact' ? howContactDiffers(fields, changes) : 'different',
    kind,
    uri,
    fields: fields.toSorted(),
  };
}

function howContactDiffers(fields: readonly string[], changes: ChangedRecord['changes']): Drift['how'] {
  if (fields.some((field) => meetingDates.includes(field)) && fields.every((field) => unannounced.has(field)))
    return 'meeting_dates';
  const lists = changes?.['contacts']?.['custom_fields'];
  const isUnannounced = fields.every((field) => field === 'custom_fields' || meetingDates.includes(field));
  return lists !== undefined && isUnannounced && haveSameValues(lists) ? 'definitions' : 'different';
}

/** The custom fields that both lists have, have the same values. */
function haveSameValues([before, after]: readonly [Json, Json]): boolean {
  const former = valuesOf(before);
  return [...valuesOf(after)].every(([uri, value]) => !former.has(uri) || isDeepStrictEqual(former.get(uri), value));
}

const valuesOf = (list: Json): ReadonlyMap<unknown, unknown> =>
  new Map((Array.isArray(list) ? list : []).filter(isObject).map(({ uri, value }) => [uri, value]));

/** Whether it counts: a difference that the service announces by a webhook. */
export const isDrift = (how: Drift['how']): how is DriftHow => how !== 'meeting_dates' && how !== 'definitions';
