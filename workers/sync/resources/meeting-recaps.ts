// Meeting recaps of each user who has logged in, read as that user, since no other user may see them. The public service lists recaps
// without their highlights: such a recap is read by its URI, one call each.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { isExpiredToken, isStatus } from '#src/upstream/api-error.ts';
import { getMeetingRecap, listMeetingRecaps } from '#src/upstream/endpoints.ts';
import type { ApiPage } from '#src/upstream/pages.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { SourceUser } from '#workers/sync/sources.ts';
import type { PageOptions, Resource, ResourcePage } from './contract.ts';
import { isReadFailure, noticeOf } from './left-out.ts';
import { readPosition, type List } from './list-pages.ts';
import { nestedListPages, pagesOfEach, type NestingList, type ReadWithin } from './nested-pages.ts';

/** Whose recaps are still to be read, in this order, and the position in each list. */
const positionSchema = z.object({ left: z.array(z.object({ user: z.string(), next: z.string().nullable() })) });
type Turn = z.output<typeof positionSchema>['left'][number];

/** Of earlier versions: the users after this one follow. */
const earlierPosition = z.object({ user: z.string(), next: z.string().nullable() });

export const meetingRecaps: Resource = {
  name: 'meeting_recaps',
  feeds: ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'],
  async *pages({ users }, options = {}) {
    if (users.length === 0) throw unknownUser();
    const turns = turnsAt(options.from, users);
    /** The first list that broke off: it is continued by the next run. */
    let brokenOff: { readonly turn: Turn; readonly error: SlotstreamError } | undefined;
    let isAnswered = false;
    for (const [at, { user, next }] of turns.entries()) {
      const others = turns.slice(at + 1);
      const tokenAt = (here: string | null): string | null => {
        const left = [...(here === null ? [] : [{ user: user.uri, next: here }]), ...others.map(turnOf)];
        const all = brokenOff ? [...left, brokenOff.turn] : left;
        return all.length === 0 ? null : JSON.stringify({ left: all });
      };
      let here = next;
      try {
        for await (const page of recapsOf(user, { ...options, from: next ?? undefined })) {
          isAnswered = true;
          here = page.nextToken;
          yield { ...page, nextToken: tokenAt(here) };
        }
      } catch (error) {
        // A user whose login has expired, who lacks the scope or was removed does not stop the others.
        if (!isReadFailure(error) || (others.length === 0 && !isAnswered)) throw error;
        if (here !== null && brokenOff === undefined) {
          brokenOff = { turn: { user: user.uri, next: here }, error };
          continue;
        }
        const list = `meeting recaps of ${user.uri}`;
        yield {
          records: [],
          rows: 0,
          nextToken: tokenAt(null),
          notices: [{ kind: 'left_out', list, error, ...(here !== null && { isRest: true }) }],
        };
      }
    }
    if (brokenOff) throw brokenOff.error;
  },
};

interface UserTurn {
  readonly user: SourceUser;
  readonly next: string | null;
}

const turnOf = ({ user, next }: UserTurn): Turn => ({ user: user.uri, next });

/** A user who no longer has a login is skipped; without any left, all are read. */
function turnsAt(from: string | undefined, users: readonly SourceUser[]): readonly UserTurn[] {
  const earlier = readPosition(from, earlierPosition);
  const first = users.findIndex(({ uri }) => uri === earlier?.user);
  const following = first < 0 ? [] : users.slice(first + 1).map(({ uri }): Turn => ({ user: uri, next: null }));
  const left = earlier ? [earlier, ...following] : (readPosition(from, positionSchema)?.left ?? []);
  const turns = left.flatMap(({ user: uri, next }) => {
    const user = users.find((one) => one.uri === uri);
    return user ? [{ user, next }] : [];
  });
  return turns.length > 0 ? turns : users.map((user) => ({ user, next: null }));
}

const unknownUser = (): SlotstreamError =>
  new SlotstreamError('refused', 'Whose recaps to read is unknown, because GET /users/me was refused.', {
    hint: 'Set USER_URI, or give the token the scope users:read.',
  });

function recapsOf(user: SourceUser, options: PageOptions): AsyncGenerator<ResourcePage> {
  const list: NestingList = {
    ...listOf(user, options),
    pendingOf: ({ record }) => (options.isBrief === true || hasHighlights(record) ? undefined : String(record['uri'])),
    withholdsPending: true,
  };
  const { signal } = options;
  return nestedListPages(list, options.from, (position) =>
    pagesOfEach(position, (recap) => completed(user, { recap, list, signal })),
  );
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

async function completed(
  { uri, client }: SourceUser,
  { recap, list, signal }: { readonly recap: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<ReadWithin> {
  try {
    const { record, observed } = await getMeetingRecap(client, recap, { signal });
    return { records: [{ kind: 'meeting_recap', record: { user: uri, ...record }, observed }], notices: [] };
  } catch (error) {
    return { records: [], notices: [await noticeOf(`meeting recap ${recap}`, error, { around: list })] };
  }
}
