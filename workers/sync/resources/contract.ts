// What a resource of the service is to us: a walk, page by page, that can begin anywhere. A new resource = one file here + one line in ../resources.ts.
import type { EventKind } from '#schemas/events.ts';
import type { SlotstreamError } from '#src/base/errors.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export type ResourceName =
  | 'contacts'
  | 'custom_field_definitions'
  | 'event_types'
  | 'scheduled_events'
  | 'routing_forms'
  | 'meeting_recaps'
  | 'organization_memberships';

export interface Resource {
  readonly name: ResourceName;
  /** Nobody wants it who wants none of these; empty: everybody does. */
  readonly feeds: readonly EventKind[];
  pages(sources: Sources, options?: PageOptions): AsyncGenerator<ResourcePage>;
}

export interface PageOptions {
  /** The `nextToken` of an earlier page. */
  readonly from?: string | undefined;
  /** Filters and order, for resources that are one list with others beneath it; not of those beneath. */
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface ResourcePage {
  /** Ready for `ingestRecords`. */
  readonly records: readonly ServiceRecord[];
  readonly rows: number;
  /** Where to go on from here: opaque, of this resource. Null at the end. */
  readonly nextToken: string | null;
  /** What did not go as wished before this page. */
  readonly notices?: readonly Notice[];
}

/**
 * `restarted`: the page token was too old, so the list began again (all of it is walked, some of it twice).
 * `refused`: one of several lists could not be read; the others go on, and this walk tells of less than there is.
 */
export type Notice =
  | { readonly kind: 'restarted'; readonly list: string }
  | { readonly kind: 'refused'; readonly list: string; readonly error: SlotstreamError };
