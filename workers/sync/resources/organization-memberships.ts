// Who belongs to the organization. A membership carries its user, or names the user, who is then read by their URI.
import { getUser, listOrganizationMemberships } from '#src/upstream/endpoints.ts';
import type { Sources } from '#workers/sync/sources.ts';
import type { PageOptions, Resource } from './contract.ts';
import { noticeOf } from './left-out.ts';
import type { List } from './list-pages.ts';
import { nestedListPages, pagesOfEach, type NestingList, type ReadWithin } from './nested-pages.ts';

export const organizationMemberships: Resource = {
  name: 'organization_memberships',
  feeds: [],
  pages(sources, options = {}) {
    const { signal } = options;
    const list: NestingList = {
      ...memberships(sources, options),
      pendingOf: ({ record: { user } }) => (options.isBrief !== true && typeof user === 'string' ? user : undefined),
    };
    return nestedListPages(list, options.from, (position) =>
      pagesOfEach(position, (uri) => userAt(sources, { uri, list, signal })),
    );
  },
};

export const memberships = ({ client, organization }: Sources, { query, signal }: PageOptions): List => ({
  name: 'organization memberships',
  kind: 'organization_membership',
  open: (token) => listOrganizationMemberships(client, { organization, ...query }, { from: token, signal }),
});

async function userAt(
  { client }: Sources,
  { uri, list, signal }: { readonly uri: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<ReadWithin> {
  try {
    const { record, observed } = await getUser(client, uri, { signal });
    return { records: [{ kind: 'user', record, observed }], notices: [] };
  } catch (error) {
    return { records: [], notices: [await noticeOf(`user ${uri}`, error, { around: list })] };
  }
}
