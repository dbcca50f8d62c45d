// A resource of the service: its records, page by page, from any position. A new resource is one file here and one line in registry.ts.
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
  /** It is read when one of these events is mirrored; empty: always. */
  readonly feeds: readonly EventKind[];
  pages(sources: Sources, options?: PageOptions): AsyncGenerator<ResourcePage>;
  /** Counts the records that take a call each, where that takes few calls itself. The service states no totals. */
  count?(sources: Sources, options?: Pick<PageOptions, 'signal'>): Promise<number>;
}

export interface PageOptions {
  /** The `nextToken` of an earlier page. */
  readonly from?: string | undefined;
  /** Filters and order of the list; nested lists are read whole. */
  readonly query?: Readonly<Record<string, string>>;
  /** Only the list of the organization, and nothing that takes a call per record. */
  readonly isBrief?: boolean;
  /** Of nested lists: whether this record's own list is read. Asked after the page with the record was taken; absent: always. */
  readonly isNestedRead?: ((uri: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ResourcePage {
  /** The names of the lists that it is of: the list, and those within which that is read, the outermost first. */
  readonly lists?: readonly string[];
  /** Ready for `ingestRecords`. */
  readonly records: readonly ServiceRecord[];
  readonly rows: number;
  /** An opaque position from which to continue; null at the end. */
  readonly nextToken: string | null;
  /** When it was requested, on the service's clock; undefined where nothing was answered. */
  readonly observed?: string;
  /** Problems before this page. */
  readonly notices?: readonly Notice[];
}

/**
 * `restarted`: the page token had expired, so the list is read from its start again: what this page follows is counted no longer.
 * `postponed`: it could not be reached, and is read again after the other lists.
 * `left_out`: a list or a record could not be read; the others are read, and the traversal is incomplete. `isRest`: its first pages were
 * read.
 */
export type Notice =
  | { readonly kind: 'restarted' | 'postponed'; readonly list: string }
  | { readonly kind: 'left_out'; readonly list: string; readonly error: SlotstreamError; readonly isRest?: boolean };
