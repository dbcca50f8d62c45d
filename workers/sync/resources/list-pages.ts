// Reads one list page by page, from its start again when the page token has expired.
import { z } from 'zod';
import type { RecordKind } from '#schemas/records.ts';
import { isUri } from '#schemas/wire.ts';
import { isExpiredToken } from '#src/upstream/api-error.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Notice, ResourcePage } from './contract.ts';

/** Tokens that expire faster than a traversal takes must not make it endless. */
const mostRestarts = 3;

export interface List {
  /** The name shown to operators. */
  readonly name: string;
  readonly kind: RecordKind;
  open(from: string | undefined): AsyncGenerator<ApiPage<unknown>>;
}

export async function* listPages(list: List, from: string | undefined): AsyncGenerator<ResourcePage> {
  let token = from;
  for (let restarts = 0; ; restarts += 1) {
    let notices: readonly Notice[] = restarts === 0 ? [] : [{ kind: 'restarted', list: list.name }];
    try {
      for await (const page of list.open(token)) {
        const records = recordsOf(list.kind, page);
        yield { records, rows: records.length, nextToken: page.nextToken, observed: page.observed, notices };
        notices = [];
      }
      return;
    } catch (error) {
      if (!isExpiredToken(error) || restarts === mostRestarts) throw error;
      token = undefined;
    }
  }
}

export function recordsOf(
  kind: RecordKind,
  { records, observed }: Pick<ApiPage<unknown>, 'records' | 'observed'>,
): readonly ServiceRecord[] {
  return records.map((record) => ({ kind, record, observed }));
}

export interface NestedList {
  /** Whether nothing is to be read of a record beyond the list; without it, every record has a list of its own. */
  isComplete(record: ServiceRecord): boolean;
}

/** Reads a list, and after each of its pages what belongs to its records. A record that is not complete comes only then. */
export async function* nestedListPages(
  list: List,
  from: string | undefined,
  pagesWithin: (position: NestedPosition) => AsyncGenerator<ResourcePage>,
  nesting?: NestedList,
): AsyncGenerator<ResourcePage> {
  const start = readPosition(from, nestedPosition);
  if (start !== undefined) {
    yield* pagesWithin(start);
    if (start.next === null) return;
  }
  for await (const page of listPages(list, start?.next ?? undefined)) {
    const isPending = (one: ServiceRecord): boolean => isUri(one.record['uri']) && nesting?.isComplete(one) !== true;
    const pending = page.records.filter(isPending).map(({ record }) => String(record['uri']));
    const here = { pending, next: page.nextToken };
    const records = nesting ? page.records.filter((one) => !isPending(one)) : page.records;
    yield { ...page, records, rows: records.length, nextToken: nestedToken(here) };
    yield* pagesWithin(here);
  }
}

/** The records whose own lists are still to be read, the page within the first of them, then the next page of records. */
const nestedPosition = z.object({
  pending: z.array(z.string()),
  submissions: z.string().nullish(),
  next: z.string().nullable(),
});
export type NestedPosition = z.output<typeof nestedPosition>;

export function nestedToken(here: NestedPosition): string | null {
  return here.next === null && here.pending.length === 0 ? null : JSON.stringify(here);
}

/** A position within several lists, as a token. One that cannot be parsed means the start. */
export function readPosition<Position>(token: string | undefined, schema: z.ZodType<Position>): Position | undefined {
  if (token === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(token)).data;
  } catch {
    return undefined;
  }
}
