// Drift: where the mirror and the service disagree, row by row. RowLookup are named by kind and URI and fields by name; values stay
// out of it, because they are people.
import type { RecordKind } from '#schemas/records.ts';
import { tableOfKind } from '#workers/projections/touches.ts';
import type { ChangedRecord } from '#workers/sync/records.ts';

/** `missing`: in the service, not here. `extra`: here, gone there. `different`: in both, and not the same. */
export const driftHows = ['missing', 'extra', 'different'] as const;
export type DriftHow = (typeof driftHows)[number];

export interface Drift {
  readonly how: DriftHow;
  readonly kind: RecordKind;
  readonly uri: string;
  /** What differs, by column; empty for what is missing or extra. */
  readonly fields: readonly string[];
}

/** How many, by kind and how; only what there is. */
export type DriftCounts = Readonly<Partial<Record<RecordKind, Readonly<Partial<Record<DriftHow, number>>>>>>;

export function driftOf({ kind, uri, how, changes }: ChangedRecord): Drift {
  if (how === 'created') return { how: 'missing', kind, uri, fields: [] };
  const own = tableOfKind[kind];
  const fields = Object.entries(changes ?? {}).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => (table === own ? column : `${table}.${column}`)),
  );
  return { how: 'different', kind, uri, fields: fields.toSorted() };
}

export function counted(counts: DriftCounts, { kind, how }: Pick<Drift, 'kind' | 'how'>): DriftCounts {
  const ofKind = counts[kind] ?? {};
  return { ...counts, [kind]: { ...ofKind, [how]: (ofKind[how] ?? 0) + 1 } };
}

export function totalOf(counts: DriftCounts): number {
  return Object.values(counts)
    .flatMap((ofKind) => Object.values(ofKind))
    .reduce((sum, count) => sum + count, 0);
}

/** `contact: 3 missing, 1 different`, one line a kind. */
export function countLines(counts: DriftCounts): readonly string[] {
  return Object.entries(counts).map(([kind, ofKind]) => {
    const parts = driftHows.flatMap((how) => (ofKind[how] ? [`${ofKind[how]} ${how}`] : []));
    return `${kind}: ${parts.join(', ')}`;
  });
}
