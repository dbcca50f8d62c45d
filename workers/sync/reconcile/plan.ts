// Plans what a reconcile reads: recent changes, or everything.
import type { EventKind } from '#schemas/events.ts';
import type { DeletableKind } from '#schemas/records.ts';
import { normalizeTimestamp } from '#schemas/wire.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { allResources, type Resource, type ResourceName, type ResourcePage } from '#workers/sync/resources/registry.ts';

export interface Traversal {
  readonly resource: Resource;
  readonly query?: Readonly<Record<string, string>>;
  readonly isBrief?: boolean;
  /** Invitees are read only of meetings that changed, and of those that began within a day: marks change no meeting. */
  readonly readsChanged?: boolean;
  /** Whether later pages are of no interest. */
  readonly isLast?: (page: Pick<ResourcePage, 'records'>) => boolean;
  /** The listing is complete: rows of this kind that it lacks may be deleted. */
  readonly deletes?: DeletableKind;
}

export interface Recent {
  /** Contacts that changed since; undefined: all of them. */
  readonly since: string | undefined;
  readonly nowMs: number;
  /** Deliveries may be missing since then: meetings are compared from a week before. */
  readonly meetingsFromMs?: number;
  /** Also meetings far ahead. */
  readonly wholeFuture?: boolean;
  readonly readsChanged?: boolean;
}

const overlapMs = 10 * 60_000;
const daysBack = 7;
const daysAhead = 30;

/** Some minutes are compared twice, because changes and deliveries can overtake each other and clocks are coarse. */
export const withOverlap = (since: string): string => instantOf(Date.parse(since) - overlapMs);

/** The resources behind the mirrored events: without meetings among them, meetings are not read. */
export function wantedResources(events: readonly EventKind[]): readonly Resource[] {
  return allResources.filter(({ feeds }) => feeds.length === 0 || feeds.some((kind) => events.includes(kind)));
}

/** Contacts by their last change, newest first, and meetings of these weeks with their invitees. */
export function recentTraversals(resources: readonly Resource[], recent: Recent): readonly Traversal[] {
  const { since, nowMs, meetingsFromMs = nowMs, wholeFuture = false, readsChanged = false } = recent;
  const window = {
    min_start_time: new Date(meetingsFromMs - daysBack * dayMs).toISOString(),
    ...(!wholeFuture && { max_start_time: new Date(nowMs + daysAhead * dayMs).toISOString() }),
  };
  return resources.flatMap((resource): readonly Traversal[] => {
    if (resource.name === 'contacts')
      return [{ resource, query: { sort: 'updated_at:desc' }, isLast: (page) => isBefore(page, since) }];
    return resource.name === 'scheduled_events' ? [{ resource, query: window, readsChanged }] : [];
  });
}

/** What a mirror without webhooks reads less often than contacts and meetings. */
export function restTraversals(resources: readonly Resource[], nowMs: number): readonly Traversal[] {
  const forms = fullTraversals(resources.filter(({ name }) => name === 'routing_forms'));
  const query = { min_start_time: new Date(nowMs - daysBack * dayMs).toISOString() };
  const recaps = resources.filter(({ name }) => name === 'meeting_recaps');
  return [...forms, ...recaps.map((resource) => ({ resource, query }))];
}

const deletedBy: Partial<Record<ResourceName, DeletableKind>> = {
  contacts: 'contact',
  custom_field_definitions: 'custom_field_definition',
  event_types: 'event_type',
  meeting_recaps: 'meeting_recap',
  organization_memberships: 'organization_membership',
  routing_forms: 'routing_form',
};

export function fullTraversals(resources: readonly Resource[]): readonly Traversal[] {
  return resources.map((resource) => {
    const deletes = deletedBy[resource.name];
    return deletes === undefined ? { resource } : { resource, deletes };
  });
}

function isBefore({ records }: Pick<ResourcePage, 'records'>, since: string | undefined): boolean {
  const last = records.at(-1)?.record['updated_at'];
  const changed = typeof last === 'string' ? normalizeTimestamp(last) : undefined;
  return since !== undefined && changed !== undefined && changed < since;
}
