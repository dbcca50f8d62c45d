// Reads one list page by page, from its start again when the page token has expired.
import type { z } from 'zod';
import type { RecordKind } from '#schemas/records.ts';
import { isExpiredToken } from '#src/upstream/api-error.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Notice, ResourcePage } from './contract.ts';

/** Tokens that expire faster than a traversal takes must not make it endless. */
export const mostRestarts = 3;

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
        const { nextToken, observed } = page;
        yield { lists: [list.name], records, rows: records.length, nextToken, observed, notices };
        notices = [];
      }
      return;
    } catch (error) {
      if (!isExpiredToken(error) || restarts === mostRestarts) throw error;
      token = undefined;
    }
  }
}

export const isRestarted = ({ notices = [] }: Pick<ResourcePage, 'notices'>): boolean =>
  notices.some(({ kind }) => kind === 'restarted');

export function recordsOf(
  kind: RecordKind,
  { records, observed }: Pick<ApiPage<unknown>, 'records' | 'observed'>,
): readonly ServiceRecord[] {
  return records.map((record) => ({ kind, record, observed }));
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
