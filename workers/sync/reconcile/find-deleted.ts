// Finds missed deletes: rows that a complete listing did not contain. Each is requested by its URI, and only a 404 for that URI counts
// as a delete. A run that would delete many rows deletes none and reports how many there are.
import type { DeletableKind } from '#schemas/records.ts';
import { isTransient } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { countLive, staleRows, type StaleRow } from '#src/store/stale-rows.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import {
  type FetchedRecord,
  getContact,
  getCustomFieldDefinition,
  getEventType,
  getMeetingRecap,
  getOrganizationMembership,
  getRoutingForm,
} from '#src/upstream/endpoints.ts';
import { tableOfKind } from '#workers/fold/projections/touches.ts';
import { isReadFailure, type LeftOut } from '#workers/sync/resources/left-out.ts';
import type { SeenSet } from './seen-set.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import { isOfService, type Sources } from '#workers/sync/sources.ts';

export interface DeleteSearchNeeds {
  readonly store: Store;
  readonly sources: Sources;
  readonly seenSet: SeenSet;
  /** Receives records that exist after all. */
  readonly onFound: (records: readonly ServiceRecord[]) => Promise<unknown>;
  readonly signal?: AbortSignal | undefined;
}

export interface DeleteSearch {
  readonly kind: DeletableKind;
  /** Rows observed since then, on the service's clock, were listed or are new. */
  readonly since: string;
  readonly wasSeen: (uri: string) => boolean;
  readonly allowDeletes: boolean;
}

/** Deletes that an operator must confirm. */
export interface HeldBack {
  readonly kind: DeletableKind;
  /** Found before the search was stopped. */
  readonly deleted: number;
  readonly of: number;
}

type Getter = (client: Client, uri: string, options?: CallOptions) => Promise<FetchedRecord<unknown>>;

const getters: Readonly<Record<DeletableKind, Getter>> = {
  contact: getContact,
  custom_field_definition: getCustomFieldDefinition,
  event_type: getEventType,
  meeting_recap: getMeetingRecap,
  organization_membership: getOrganizationMembership,
  routing_form: getRoutingForm,
};

const pageSize = 200;
/** A few deletes are ordinary. Half of all rows rather indicate another account, or a service that lost its data. */
const ordinaryDeletes = 20;
const ordinaryShare = 0.1;
const implausibleShare = 0.5;
/** Small tables may lose every row. */
const smallTable = 3;

export interface DeleteSearchReport {
  /** Undefined when the deletes may be carried out. */
  readonly heldBack: HeldBack | undefined;
  /** Rows whose 404 did not come from the service itself. */
  readonly unconfirmed: number;
  /** Rows that cannot be requested: of another service (a rehearsal leaves such), or of a user who has not logged in. */
  readonly notCompared: number;
}

type RowStatus = 'exists' | 'deleted' | 'hidden' | 'unconfirmed';

/** Adds the deletes it finds to the seen set. */
export async function findDeleted(needs: DeleteSearchNeeds, search: DeleteSearch): Promise<DeleteSearchReport> {
  const { store, seenSet } = needs;
  const { kind, since, wasSeen } = search;
  const of = await countLive(store, tableOfKind[kind], needs.sources.client);
  const most = search.allowDeletes ? Infinity : mostDeletesOf(of);
  const counts = { unconfirmed: 0, notCompared: 0 };
  for (let after = ''; ;) {
    const rows = await staleRows(store, tableOfKind[kind], { since, after, limit: pageSize });
    for (const row of rows) {
      if (wasSeen(row.uri)) continue;
      const status = await statusOf(needs, kind, row);
      if (status === 'unconfirmed') counts.unconfirmed += 1;
      if (status === 'hidden') counts.notCompared += 1;
      const deleted = seenSet.countDeleted(kind);
      if (deleted > most) return { heldBack: { kind, deleted, of }, ...counts };
    }
    if (rows.length < pageSize) return { heldBack: undefined, ...counts };
    after = rows.at(-1)?.uri ?? after;
  }
}

function mostDeletesOf(rows: number): number {
  const plausible = Math.max(smallTable, Math.ceil(rows * implausibleShare) - 1);
  return Math.min(plausible, Math.max(ordinaryDeletes, Math.floor(rows * ordinaryShare)));
}

async function statusOf(
  { sources, seenSet, onFound, signal }: DeleteSearchNeeds,
  kind: DeletableKind,
  row: StaleRow,
): Promise<RowStatus> {
  const client = clientFor(sources, kind, row);
  if (client === undefined) return 'hidden';
  try {
    const { record, observed } = await getters[kind](client, row.uri, { signal });
    await onFound([{ kind, record, observed }]);
    return 'exists';
  } catch (error) {
    // A record that we may not see any more, or that cannot be parsed, is not deleted.
    if (isReadFailure(error) && !isTransient(error) && !isStatus(error, 404)) return 'hidden';
    if (!isStatus(error, 404)) throw error;
    if (!error.isFromService) return 'unconfirmed';
    seenSet.addDeleted({ kind, uri: row.uri, updated_at: row.updated_at, observed: error.observed });
    return 'deleted';
  }
}

/** Reported among what could not be compared. */
export function unconfirmedAs(kind: DeletableKind, count: number): LeftOut {
  return {
    what: `${count} deletes of ${kind}`,
    isLasting: true,
    error: {
      message: `${count} answers of 404 did not come from the service itself.`,
      hint: 'Check for a proxy in between, or an API_BASE_URL that leads elsewhere.',
    },
  };
}

/** Recaps are requested as their own user: only that user may see them, and the listing covers no other. */
function clientFor(sources: Sources, kind: DeletableKind, { uri, user }: StaleRow): Client | undefined {
  const { client, users } = sources;
  if (!isOfService(sources, uri)) return undefined;
  if (kind !== 'meeting_recap') return client;
  // To any other user an existing recap looks deleted, so its user must be known.
  return users.find((one) => one.uri === user)?.client;
}
