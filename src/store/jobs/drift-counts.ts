// How many rows of the mirror and of the service differed, as a comparison reports it.
import type { RecordKind } from '#schemas/records.ts';

/** `missing`: only in the service. `extra`: here, but deleted there. `different`: in both, with other values. */
export const driftHows = ['missing', 'extra', 'different'] as const;
export type DriftHow = (typeof driftHows)[number];

/** Numbers of rows, by kind and drift; zeros are left out. */
export type DriftCounts = Readonly<Partial<Record<RecordKind, Readonly<Partial<Record<DriftHow, number>>>>>>;

export function counted(
  counts: DriftCounts,
  { kind, how }: { readonly kind: RecordKind; readonly how: DriftHow },
): DriftCounts {
  const ofKind = counts[kind] ?? {};
  return { ...counts, [kind]: { ...ofKind, [how]: (ofKind[how] ?? 0) + 1 } };
}

export function totalOf(counts: DriftCounts): number {
  return Object.values(counts)
    .flatMap((ofKind) => Object.values(ofKind))
    .reduce((sum, count) => sum + count, 0);
}

/** `contact: 3 missing, 1 different`, one line per kind. */
export function countLines(counts: DriftCounts): readonly string[] {
  return Object.entries(counts).map(([kind, ofKind]) => {
    const parts = driftHows.flatMap((how) => (ofKind[how] ? [`${ofKind[how]} ${how}`] : []));
    return `${kind}: ${parts.join(', ')}`;
  });
}
