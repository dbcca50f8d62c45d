// Event types: those of the organization's list, then those of each member. The public service leaves types with several hosts out of
// the organization's list and shows them to each host.
import { z } from 'zod';
import { propertyOf } from '#schemas/wire.ts';
import type { SlotstreamError } from '#src/base/errors.ts';
import { listEventTypes } from '#src/upstream/endpoints.ts';
import type { Sources } from '#workers/sync/sources.ts';
import type { Notice, PageOptions, Resource, ResourcePage } from './contract.ts';
import { isReadFailure, isRefusal, noticeOf } from './left-out.ts';
import { listPages, readPosition, type List } from './list-pages.ts';
import { memberships } from './organization-memberships.ts';

/** Within the list of the organization, or, with `users`, within that of the first of them. `users` is null before they are known. */
const positionSchema = z.object({ next: z.string().nullish(), users: z.array(z.string()).nullish() });
type Position = z.output<typeof positionSchema>;

export const eventTypes: Resource = {
  name: 'event_types',
  feeds: ['event_type.created', 'event_type.updated', 'event_type.deleted'],
  async *pages(sources, options = {}) {
    const start = readPosition(options.from, positionSchema) ?? {};
    /** In which list each was seen first; a list that starts over shows it again. */
    const seen = new Map<unknown, string | undefined>();
    const unseen = (page: ResourcePage, after: Position | null): ResourcePage => {
      const [list] = page.lists ?? [];
      const records = page.records.filter(({ record: { uri } }) => !seen.has(uri) || seen.get(uri) === list);
      for (const { record } of records) seen.set(record['uri'], list);
      return { ...page, records, rows: records.length, nextToken: after && JSON.stringify(after) };
    };
    const whole = typesOf(sources, { organization: sources.organization }, options);
    const notices: Notice[] = [];
    if (start.users === undefined)
      try {
        for await (const page of listPages(whole, start.next ?? undefined)) {
          const isEnd = page.nextToken === null;
          yield unseen(page, isEnd ? (options.isBrief ? null : { users: null }) : { next: page.nextToken });
        }
      } catch (error) {
        // Members may see their own types where they may not see those of the organization.
        if (options.isBrief || !isRefusal(error) || !isReadFailure(error)) throw error;
        notices.push({ kind: 'left_out', list: whole.name, error });
      }
    if (options.isBrief) return;
    const members = start.users ? { users: start.users } : await membersOf(sources, options);
    const { users } = members;
    if ('error' in members)
      notices.push({ kind: 'left_out', list: 'event types of other members', error: members.error });
    if (notices.length > 0) yield { records: [], rows: 0, nextToken: JSON.stringify({ users }), notices };
    for (const [at, user] of users.entries()) {
      const list = typesOf(sources, { user }, options);
      const from = at === 0 && start.users ? (start.next ?? undefined) : undefined;
      let isRest = from !== undefined;
      const others = at + 1 < users.length ? { users: users.slice(at + 1) } : null;
      try {
        for await (const page of listPages(list, from)) {
          isRest = true;
          yield unseen(page, page.nextToken === null ? others : { users: users.slice(at), next: page.nextToken });
        }
      } catch (error) {
        const failed = [await noticeOf(list.name, error, { around: whole, isRest })];
        yield unseen({ records: [], rows: 0, nextToken: null, notices: failed }, others);
      }
    }
  },
};

type Whose = { readonly organization: string } | { readonly user: string };

/** Oldest first: renaming one does not change its position. */
const typesOf = ({ client }: Sources, whose: Whose, { query, signal }: PageOptions): List => ({
  name: `event types${'user' in whose ? ` of ${whose.user}` : ''}`,
  kind: 'event_type',
  open: (token) => listEventTypes(client, { ...whose, sort: 'created_at:asc', ...query }, { from: token, signal }),
});

interface Members {
  readonly users: readonly string[];
  readonly error?: SlotstreamError;
}

/** Where the members cannot be listed, the user of the token stands for them. */
async function membersOf(sources: Sources, { signal }: PageOptions): Promise<Members> {
  const users = new Set<string>();
  try {
    for await (const { records } of memberships(sources, { signal }).open(undefined))
      for (const { user } of records) {
        const uri = typeof user === 'string' ? user : propertyOf(user, 'uri');
        if (typeof uri === 'string') users.add(uri);
      }
    return { users: [...users] };
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    for (const { uri } of sources.users) users.add(uri);
    return { users: [...users], error };
  }
}
