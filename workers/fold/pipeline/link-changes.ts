// Which invitees of a workspace may change the table `booking_invitees`, by their links before and after.
import type { Json } from '#src/store/columns.ts';
import type { WorkingRow } from '#workers/fold/projections/merge.ts';
import type { RowWorkspace } from './row-workspace.ts';

export interface LinkChanges {
  /** Invitees with links, and those that these name or named: their bookings are computed again. */
  readonly linked: ReadonlySet<string>;
  /** Only if a link of another invitee names them are their bookings computed again. */
  readonly perhapsNamed: readonly string[];
}

const links = ['old_invitee', 'new_invitee'] as const;

export function linkChangesIn(rows: RowWorkspace): LinkChanges {
  const linked = new Set<string>();
  const perhapsNamed: string[] = [];
  for (const [uri, { row, isNew, isTouched, former }] of rows.all('invitees')) {
    if (!isTouched) continue;
    const named = links.flatMap((name) => [row[name], former.get(name)]).filter(isNamed);
    const mayReorder = isNew || former.has('created_at') || changesMove({ row, former });
    if (links.some((name) => former.has(name)) || (mayReorder && named.length > 0))
      for (const each of [uri, ...named]) linked.add(each);
    else if (mayReorder) perhapsNamed.push(uri);
  }
  return { linked, perhapsNamed };
}

/** False and unknown are the same. */
const changesMove = ({ row, former }: Pick<WorkingRow, 'row' | 'former'>): boolean =>
  former.has('rescheduled') && (former.get('rescheduled') === true) !== (row['rescheduled'] === true);

const isNamed = (uri: Json | undefined): uri is string => typeof uri === 'string' && uri !== '';
