// What a reconcile reads: recent changes, or everything. Pure, but for the resources themselves.
import type { EventKind } from '#schemas/events.ts';
import type { GoneKind } from '#schemas/records.ts';
import { normalizeTimestamp } from '#schemas/wire.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { catalogue, type Resource, type ResourceName, type WalkPage } from '#workers/sync/resources/registry.ts';

export interface Walk {
  readonly resource: Resource;
  readonly query?: Readonly<Record<string, string>>;
  /** Nothing further on is of interest. */
  readonly isOver?: (page: Pick<WalkPage, 'records'>) => boolean;
  /** It shows everything there is: what it does not show may be gone. */
  readonly buries?: GoneKind;
}

export interface Recent {
  /** Contacts that changed since; undefined: all of them. */
  readonly since: string | undefined;
  readonly nowMs: number;
  /** Meetings are looked at from so long before; deliveries may be missing since then. */
  readonly meetingsFromMs?: number;
  /** Also those that lie far ahead. */
  readonly wholeFuture?: boolean;
}

const overlapMs = 10 * 60_000;
const daysBack = 7;
const daysAhead = 30;

/** Changes and deliveries cross each other on the way, and clocks are coarse: the same minutes are looked at twice. */
export const withOverlap = (since: string): string => instantOf(Date.parse(since) - overlapMs);

/** What is wanted: whoever mirrors no meetings does not read them. */
export function wantedResources(events: readonly EventKind[]): readonly Resource[] {
  return (catalogue as readonly Resource[]).filter(
    ({ feeds }) => feeds.length === 0 || feeds.some((kind) => events.includes(kind)),
  );
}

/** Contacts by their last change, newest first; meetings of these weeks with whoever comes to them. */
export function recentWalks(resources: readonly Resource[], recent: Recent): readonly Walk[] {
  const { since, nowMs, meetingsFromMs = nowMs, wholeFuture = false } = recent;
  const window = {
    min_start_time: new Date(meetingsFromMs - daysBack * dayMs).toISOString(),
    ...(!wholeFuture && { max_start_time: new Date(nowMs + daysAhead * dayMs).toISOString() }),
  };
  return resources.flatMap((resource): readonly Walk[] => {
    if (resource.name === 'contacts')
      return [{ resource, query: { sort: 'updated_at:desc' }, isOver: (page) => isBefore(page, since) }];
    return resource.name === 'scheduled_events' ? [{ resource, query: window }] : [];
  });
}

const buried: Partial<Record<ResourceName, GoneKind>> = {
  contacts: 'contact',
  event_types: 'event_type',
  meeting_recaps: 'meeting_recap',
};

export function fullWalks(resources: readonly Resource[]): readonly Walk[] {
  return resources.map((resource) => {
    const buries = buried[resource.name];
    return buries === undefined ? { resource } : { resource, buries };
  });
}

function isBefore({ records }: Pick<WalkPage, 'records'>, since: string | undefined): boolean {
  const last = records.at(-1)?.record['updated_at'];
  const changed = typeof last === 'string' ? normalizeTimestamp(last) : undefined;
  return since !== undefined && changed !== undefined && changed < since;
}
