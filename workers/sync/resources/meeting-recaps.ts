// Meeting recaps of each user who has logged in, read as that user, since no other user may see them. The public service lists recaps
// without their highlights: such a recap is read by its URI, one call each.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { isExpiredToken, isStatus } from '#src/upstream/api-error.ts';
import { getMeetingRecap, listMeetingRecaps } from '#src/upstream/endpoints.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { SourceUser } from '#workers/sync/sources.ts';
import { concurrently } from './concurrently.ts';
import type { Notice, PageOptions, Resource, ResourcePage } from './contract.ts';
import { isReadFailure, noticeOf } from './left-out.ts';
import { nestedListPages, nestedToken, readPosition, type List, type NestedPosition } from './list-pages.ts';

/** The user whose recaps are read next, and the position in their list. */
const positionSchema = z.object({ user: z.string(), next: z.string().nullable() });

/** After a kill, at most this many recaps are requested twice. */
const recapsPerPage = 20;

export const meetingRecaps: Resource = {
  name: 'meeting_recaps',
  feeds: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
  async *pages({ users }, options = {}) {
    if (users.length === 0) throw unknownUser();
    const start = readPosition(options.from, positionSchema);
    // A user who no longer has a login is skipped: the traversal starts with the first user.
    const first = Math.max(
      0,
      users.findIndex(({ uri }) => uri === start?.user),
    );
    let isAnswered = false;
    for (const [at, user] of users.entries()) {
      if (at < first) continue;
      const from = user.uri === start?.user ? (start.next ?? undefined) : undefined;
      const following = users[at + 1];
      const after = following ? JSON.stringify({ user: following.uri, next: null }) : null;
      try {
        for await (const page of recapsOf(user, { ...options, from })) {
          isAnswered = true;
          const here = page.nextToken === null ? after : JSON.stringify({ user: user.uri, next: page.nextToken });
          yield { ...page, nextToken: here };
        }
      } catch (error) {
        // A user whose login has expired, who lacks the scope or was removed does not stop the others.
        if (!isReadFailure(error) || (after === null && !isAnswered)) throw error;
        const list = `meeting recaps of ${user.uri}`;
        yield { records: [], rows: 0, nextToken: after, notices: [{ kind: 'left_out', list, error }] };
      }
    }
  },
};

const unknownUser = (): SlotstreamError =>
  new SlotstreamError('refused', 'Whose recaps to read is unknown, because GET /users/me was refused.', {
    hint: 'Set USER_URI, or give the token the scope users:read.',
  });

function recapsOf(user: SourceUser, options: PageOptions): AsyncGenerator<ResourcePage> {
  const list = listOf(user, options);
  return nestedListPages(list, options.from, (position) => completedPages(user, { list, position, ...options }), {
    isComplete: ({ record }) => options.isBrief === true || hasHighlights(record),
  });
}

const highlights = ['summary_md', 'action_items_md', 'discussion_md', 'share_link'];
const hasHighlights = (record: ServiceRecord['record']): boolean => highlights.some((key) => record[key] !== undefined);

function listOf({ uri, client }: SourceUser, { query, signal }: PageOptions): List {
  return {
    name: `meeting recaps of ${uri}`,
    kind: 'meeting_recap',
    async *open(token) {
      const options = { from: token, signal };
      const owned = (page: ApiPage<unknown>) => ({
        ...page,
        records: page.records.map((record) => ({ user: uri, ...record })),
      });
      let isBegun = false;
      try {
        for await (const page of listMeetingRecaps(client, { user: uri, ...query }, options)) {
          isBegun = true;
          yield owned(page);
        }
      } catch (error) {
        // The public service names no `user` here: everyone sees their own recaps.
        if (isBegun || !isStatus(error, 400) || isExpiredToken(error)) throw error;
        for await (const page of listMeetingRecaps(client, { ...query }, options)) yield owned(page);
      }
    },
  };
}

interface Completion extends PageOptions {
  readonly list: List;
  readonly position: NestedPosition;
}

async function* completedPages(
  user: SourceUser,
  { list, position: { pending, next }, signal }: Completion,
): AsyncGenerator<ResourcePage> {
  for (let at = 0; at < pending.length; at += recapsPerPage) {
    const some = pending.slice(at, at + recapsPerPage);
    const found = await concurrently(some, (recap) => completed(user, { recap, list, signal }));
    const records = found.flatMap(({ record }) => record ?? []);
    const nextToken = nestedToken({ pending: pending.slice(at + recapsPerPage), next });
    yield { records, rows: records.length, nextToken, notices: found.flatMap(({ notice }) => notice ?? []) };
  }
}

async function completed(
  { uri, client }: SourceUser,
  { recap, list, signal }: { readonly recap: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<{ readonly record?: ServiceRecord; readonly notice?: Notice }> {
  try {
    const { record, observed } = await getMeetingRecap(client, recap, { signal });
    return { record: { kind: 'meeting_recap', record: { user: uri, ...record }, observed } };
  } catch (error) {
    return { notice: await noticeOf(`meeting recap ${recap}`, error, list) };
  }
}
