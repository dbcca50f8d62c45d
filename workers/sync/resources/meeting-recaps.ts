// Meeting recaps: of each user who is known to us, asked as that user, since nobody else may be shown them.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { listMeetingRecaps } from '#src/upstream/endpoints/meeting-recaps.ts';
import type { Sources, SourceUser } from '#workers/sync/sources.ts';
import type { Resource, PageOptions, ResourcePage } from './contract.ts';
import { readPosition, listPages } from './list-pages.ts';

/** Whose recaps are to be read next, and from where. */
const place = z.object({ user: z.string(), next: z.string().nullable() });

export const meetingRecaps: Resource = {
  name: 'meeting_recaps',
  feeds: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
  async *pages({ users }: Sources, { from, query, signal } = {}) {
    const start = readPosition(from, place);
    // Somebody who is no longer known was walked, or will never be: all others are.
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

/** One user whose login has ended, who lacks the scope or is gone does not keep us from the others. */
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
