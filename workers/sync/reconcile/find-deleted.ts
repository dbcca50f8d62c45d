// Missed deletes: rows we have that a complete listing did not show. Each is asked for by its own URI, and only a 404 on that
// very URI makes a tombstone; a run that would delete many deletes none, and says how many.
import type { GoneKind } from '#schemas/records.ts';
import type { Store } from '#src/store/contract.ts';
import { countLive, unheardSince, type UnheardRow } from '#src/store/stale-rows.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import { getContact } from '#src/upstream/endpoints/contacts.ts';
import { getEventType } from '#src/upstream/endpoints/event-types.ts';
import { getMeetingRecap } from '#src/upstream/endpoints/meeting-recaps.ts';
import type { FetchedRecord } from '#src/upstream/request.ts';
import { tableOfKind } from '#workers/projections/touches.ts';
import type { Scratch } from './seen-set.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface GoneNeeds {
  readonly store: Store;
  readonly sources: Sources;
  readonly scratch: Scratch;
  /** Told of what is there after all. */
  readonly onFound: (records: readonly ServiceRecord[]) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

export interface GoneSearch {
  readonly kind: GoneKind;
  /** RowLookup observed since then, on the service's clock, were shown or are new. */
  readonly since: string;
  readonly wasSeen: (uri: string) => boolean;
  readonly allowDeletes: boolean;
}

/** Deletes that wait for somebody to say yes. */
export interface HeldBack {
  readonly kind: GoneKind;
  /** FetchedRecord gone before the search was stopped. */
  readonly gone: number;
  readonly of: number;
}

type Getter = (client: Client, uri: string, options?: CallOptions) => Promise<FetchedRecord<unknown>>;

const getters: Readonly<Record<GoneKind, Getter>> = {
  contact: getContact,
  event_type: getEventType,
  meeting_recap: getMeetingRecap,
};

const pageSize = 200;
/** Few deletes are ordinary, but for half of what there is: that is rather another account, or a service that lost its data. */
const ordinary = 20;
const largestShare = 0.1;
const suspectShare = 0.5;
/** Of a handful, also all may go. */
const handful = 3;

export interface GoneReport {
  /** Undefined when what is gone may be buried. */
  readonly heldBack: HeldBack | undefined;
  /** RowLookup whose 404 was not in the service's own words. */
  readonly unconfirmed: number;
  /** RowLookup nobody can be asked about: of another service (a rehearsal leaves such), or whose user is not known to us. */
  readonly notCompared: number;
}

type Judgement = 'there' | 'gone' | 'hidden' | 'unconfirmed';

/** Notes in the scratch what is gone. */
export async function searchGone(needs: GoneNeeds, search: GoneSearch): Promise<GoneReport> {
  const { store, scratch } = needs;
  const { kind, since, wasSeen } = search;
  const of = await countLive(store, tableOfKind[kind], needs.sources.client);
  const most = search.allowDeletes ? Infinity : mostDeletesOf(of);
  const counts = { unconfirmed: 0, notCompared: 0 };
  for (let after = ''; ;) {
    const rows = await unheardSince(store, tableOfKind[kind], { since, after, limit: pageSize });
    for (const row of rows) {
      if (wasSeen(row.uri)) continue;
      const judgement = await judge(needs, kind, row);
      if (judgement === 'unconfirmed') counts.unconfirmed += 1;
      if (judgement === 'hidden') counts.notCompared += 1;
      const gone = scratch.countGone(kind);
      if (gone > most) return { heldBack: { kind, gone, of }, ...counts };
    }
    if (rows.length < pageSize) return { heldBack: undefined, ...counts };
    after = rows.at(-1)?.uri as string;
  }
}

function mostDeletesOf(rows: number): number {
  const belowSuspect = Math.max(handful, Math.ceil(rows * suspectShare) - 1);
  return Math.min(belowSuspect, Math.max(ordinary, Math.floor(rows * largestShare)));
}

async function judge(
  { sources, scratch, onFound, signal }: GoneNeeds,
  kind: GoneKind,
  row: UnheardRow,
): Promise<Judgement> {
  const client = clientFor(sources, kind, row);
  if (client === undefined) return 'hidden';
  try {
    const { record, observed } = await getters[kind](client, row.uri, { signal });
    await onFound([{ kind, record, observed }]);
    return 'there';
  } catch (error) {
    // Not shown to us (any more) is not gone.
    if (isStatus(error, 403)) return 'hidden';
    if (!isStatus(error, 404)) throw error;
    if (!error.isFromService) return 'unconfirmed';
    scratch.bury({ kind, uri: row.uri, observed: error.observed });
    return 'gone';
  }
}

/** As something that is not compared. */
export function unconfirmedAs(kind: GoneKind, count: number) {
  return {
    what: `${count} deletes of ${kind}`,
    error: {
      message: `${count} answers of 404 were not the service's own.`,
      hint: 'Look at what stands between: a proxy, or an API_BASE_URL that leads elsewhere.',
    },
  };
}

/** Recaps are asked for as their own user: the listing speaks for no other, and whose they are decides who may see them. */
function clientFor({ client, users }: Sources, kind: GoneKind, { uri, user }: UnheardRow): Client | undefined {
  if (!uri.startsWith(`${client.origin}/`)) return undefined;
  if (kind !== 'meeting_recap') return client;
  // To anybody else it may look gone: whose it is must be known.
  return users.find((one) => one.uri === user)?.client;
}
