// Reads a list, and what belongs to each of its records. A page token may die while other calls are made (A13), so pages of the list are
// read back to back, and only then what belongs to their records.
//
//   listing ──last page, or enough records──▶ within: a call or more per record ──there are more pages──▶ listing
//     └ token refused ──▶ on from the last start time; where the list has no order, again from its first page
import { z } from 'zod';
import { isUri, normalizeTimestamp } from '#schemas/wire.ts';
import { isExpiredToken } from '#src/upstream/api-error.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import { concurrently } from './concurrently.ts';
import type { Notice, ResourcePage } from './contract.ts';
import { isReadFailure } from './left-out.ts';
import { mostRestarts, readPosition, recordsOf, type List } from './list-pages.ts';

export interface NestingList extends List {
  /**
   * For a list in the order of `start_time`: its records from this time on. Such a list is read in parts, so that a large one needs little
   * memory; any other is read to its end first.
   */
  openSince?(start: string, from: string | undefined): AsyncGenerator<ApiPage<unknown>>;
  /** The URI of what is read beyond the list; undefined: nothing. Without it, every record has a list of its own. */
  pendingOf?(record: ServiceRecord): string | undefined;
  /** Records of which more is read come only then. */
  readonly withholdsPending?: boolean;
}

const positionSchema = z.object({
  /** Of these, what belongs to them is still to be read. */
  pending: z.array(z.string()),
  /** The page within the first of them. */
  submissions: z.string().nullish(),
  /** The next page of the list; null: there is none, or, while listing, the first. */
  next: z.string().nullable(),
  /** More of the list is read first. */
  isListing: z.boolean().optional(),
  /** `next` is a page of the records from this time on. */
  since: z.string().optional(),
  /** The last start time in the list so far, and the records that have it; null: the list is not in order. */
  last: z.object({ start: z.string(), uris: z.array(z.string()) }).nullish(),
});
export type NestedPosition = z.output<typeof positionSchema>;
type LastRead = NestedPosition['last'];

/** A part of a list that is read in parts. Its URIs are in the stored position. */
const recordsPerPart = 500;

export async function* nestedListPages(
  list: NestingList,
  from: string | undefined,
  pagesWithin: (position: NestedPosition) => AsyncGenerator<ResourcePage>,
): AsyncGenerator<ResourcePage> {
  let here = positionAt(from);
  for (;;) {
    let failure: unknown;
    if (here.isListing)
      try {
        for await (const { page, after } of partOf(list, here)) {
          here = after;
          yield page;
        }
      } catch (error) {
        // A page that fails costs nothing of the pages before it.
        if (!isReadFailure(error) || here.pending.length === 0) throw error;
        failure = error;
      }
    here = { ...here, isListing: false };
    for await (const page of pagesWithin(here)) yield { ...page, lists: [list.name, ...(page.lists ?? [])] };
    if (failure !== undefined) throw failure;
    if (here.next === null) return;
    here = { ...here, pending: [], submissions: null, isListing: true };
  }
}

/** What is no position of ours is a page token, which earlier versions stored for some lists. */
function positionAt(from: string | undefined): NestedPosition {
  return readPosition(from, positionSchema) ?? { pending: [], next: from ?? null, isListing: true };
}

export function nestedToken(here: NestedPosition): string | null {
  return here.next === null && here.pending.length === 0 ? null : JSON.stringify(here);
}

interface ListedPage {
  readonly page: ResourcePage;
  readonly after: NestedPosition;
}

async function* partOf(list: NestingList, start: NestedPosition): AsyncGenerator<ListedPage> {
  let here = start;
  let restarts = 0;
  let notices: readonly Notice[] = [];
  /** The last start time when the token died: the list is open from a little earlier. */
  let resumedAt = '';
  let isAnyNew = true;
  for (;;)
    try {
      for await (const page of openAt(list, here)) {
        const records = recordsOf(list.kind, page).filter((one) => !wasRead(one, here.last, resumedAt));
        isAnyNew ||= records.length > 0;
        here = positionAfter(list, here, { records, nextToken: page.nextToken });
        const shown = list.withholdsPending ? records.filter((one) => pendingOf(list, one) === undefined) : records;
        const { observed } = page;
        const nextToken = nestedToken(here);
        yield {
          page: { lists: [list.name], records: shown, rows: shown.length, nextToken, observed, notices },
          after: here,
        };
        notices = [];
        if (here.isListing !== true) return;
      }
      return;
    } catch (error) {
      if (!isExpiredToken(error)) throw error;
      const { last } = here;
      if (list.openSince && last && last.start !== '') {
        // Every page must lead further.
        if (!isAnyNew) throw error;
        isAnyNew = false;
        resumedAt = last.start;
        here = { ...here, next: null, since: secondBefore(last.start) };
      } else {
        if (restarts === mostRestarts) throw error;
        restarts += 1;
        here = { pending: [], next: null, isListing: true };
        notices = [{ kind: 'restarted', list: list.name }];
      }
    }
}

const openAt = (list: NestingList, { next, since }: NestedPosition): AsyncGenerator<ApiPage<unknown>> =>
  since === undefined || list.openSince === undefined
    ? list.open(next ?? undefined)
    : list.openSince(since, next ?? undefined);

/** Whether the service includes the time itself is not documented. What comes twice is known by its URI or start time. */
const secondBefore = (start: string): string => new Date(Date.parse(start) - 1000).toISOString();

function wasRead({ record }: ServiceRecord, last: LastRead, resumedAt: string): boolean {
  const start = startOf(record);
  if (start !== undefined && start < resumedAt) return true;
  const { uri } = record;
  return isUri(uri) && last?.uris.includes(uri) === true;
}

function startOf({ start_time: start }: ServiceRecord['record']): string | undefined {
  return typeof start === 'string' ? normalizeTimestamp(start) : undefined;
}

function pendingOf(list: NestingList, one: ServiceRecord): string | undefined {
  const uri = list.pendingOf ? list.pendingOf(one) : one.record['uri'];
  return isUri(uri) ? uri : undefined;
}

function positionAfter(
  list: NestingList,
  { pending: before, since, last: lastBefore }: NestedPosition,
  { records, nextToken }: { readonly records: readonly ServiceRecord[]; readonly nextToken: string | null },
): NestedPosition {
  const pending = [...before, ...records.flatMap((one) => pendingOf(list, one) ?? [])];
  const last = list.openSince && lastReadOf(lastBefore, records);
  const isPart = pending.length >= recordsPerPart && last != null && last.start !== '';
  return { pending, next: nextToken, isListing: nextToken !== null && !isPart, since, last };
}

function lastReadOf(before: LastRead, records: readonly ServiceRecord[]): LastRead {
  if (before === null) return null;
  let { start, uris } = before ?? { start: '', uris: [] };
  for (const { record } of records) {
    const at = startOf(record);
    if (at === undefined) continue;
    if (at < start) return null;
    const { uri } = record;
    uris = [...(at === start ? uris : []), ...(isUri(uri) ? [uri] : [])];
    start = at;
  }
  return { start, uris };
}

export interface ReadWithin {
  readonly records: readonly ServiceRecord[];
  readonly notices: readonly Notice[];
}

/** After a kill, at most this many are read twice. */
const readsPerPage = 20;

/** Reads what belongs to each of the pending ones, a few at a time. */
export async function* pagesOfEach(
  position: NestedPosition,
  read: (uri: string) => Promise<ReadWithin>,
): AsyncGenerator<ResourcePage> {
  const { pending } = position;
  for (let at = 0; at < pending.length; at += readsPerPage) {
    const found = await concurrently(pending.slice(at, at + readsPerPage), read);
    const records = found.flatMap((one) => one.records);
    const nextToken = nestedToken({ ...position, pending: pending.slice(at + readsPerPage) });
    yield { records, rows: records.length, nextToken, notices: found.flatMap(({ notices }) => notices) };
  }
}
