// Meeting recaps of each user who has logged in, read as that user, since no other user may see them.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { listMeetingRecaps } from '#src/upstream/endpoints.ts';
import type { Sources, SourceUser } from '#workers/sync/sources.ts';
import type { Resource, PageOptions, ResourcePage } from './contract.ts';
import { readPosition, listPages } from './list-pages.ts';

/** The user whose recaps are read next, and the page. */
const positionSchema = z.object({ user: z.string(), next: z.string().nullable() });

export const meetingRecaps: Resource = {
  name: 'meeting_recaps',
  feeds: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
  async *pages({ users }: Sources, { from, query, signal } = {}) {
    const start = readPosition(from, positionSchema);
    // A user who no longer has a login is skipped: the traversal starts with the first user.
    const first = Math.max(
      0,
      users.findIndex(({ uri }) => uri === start?.user),
    );
    for (const [at, user] of users.entries()) {
      if (at < first) continue;
      const next = user.uri === start?.user ? (start.next ?? undefined) : undefined;
      const following = users[at + 1];
      const after = following ? JSON.stringify({ user: following.uri, next: null }) : null;
      for await (const page of recapsOf(user, { from: next, ...(query && { query }), signal })) {
        const here = page.nextToken === null ? after : JSON.stringify({ user: user.uri, next: page.nextToken });
        yield { ...page, nextToken: here };
      }
    }
  },
};

/** A user whose login has expired, who lacks the scope or was removed does not stop the others. */
async function* recapsOf({ uri, client }: SourceUser, options: PageOptions): AsyncGenerator<ResourcePage> {
  const name = `meeting recaps of ${uri}`;
  const { from, query, signal } = options;
  const list = {
    name,
    kind: 'meeting_recap',
    open: (token: string | undefined) => listMeetingRecaps(client, { user: uri, ...query }, { from: token, signal }),
  } as const;
  try {
    yield* listPages(list, from);
  } catch (error) {
    if (!(error instanceof SlotstreamError) || !(error.code === 'refused' || error.code === 'not_found')) throw error;
    yield { records: [], rows: 0, nextToken: null, notices: [{ kind: 'refused', list: name, error }] };
  }
}
