// Who belongs to the organization. A membership carries its user, or names the user, who is then read by their URI.
import { getUser, listOrganizationMemberships } from '#src/upstream/endpoints.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';
import { concurrently } from './concurrently.ts';
import type { Notice, PageOptions, Resource } from './contract.ts';
import { noticeOf } from './left-out.ts';
import { listPages, type List } from './list-pages.ts';

export const organizationMemberships: Resource = {
  name: 'organization_memberships',
  feeds: [],
  async *pages(sources, options = {}) {
    const list = memberships(sources, options);
    for await (const page of listPages(list, options.from)) {
      const named = options.isBrief ? [] : page.records.flatMap(({ record }) => textOr(record['user']));
      const found = await concurrently(named, (uri) => userAt(sources, { uri, list, signal: options.signal }));
      const records = [...page.records, ...found.flatMap(({ user }) => user ?? [])];
      const notices = [...(page.notices ?? []), ...found.flatMap(({ notice }) => notice ?? [])];
      yield { ...page, records, rows: records.length, notices };
    }
  },
};

const textOr = (value: unknown): string | readonly [] => (typeof value === 'string' ? value : []);

export const memberships = ({ client, organization }: Sources, { query, signal }: PageOptions): List => ({
  name: 'organization memberships',
  kind: 'organization_membership',
  open: (token) => listOrganizationMemberships(client, { organization, ...query }, { from: token, signal }),
});

async function userAt(
  { client }: Sources,
  { uri, list, signal }: { readonly uri: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<{ readonly user?: ServiceRecord; readonly notice?: Notice }> {
  try {
    const { record, observed } = await getUser(client, uri, { signal });
    return { user: { kind: 'user', record, observed } };
  } catch (error) {
    return { notice: await noticeOf(`user ${uri}`, error, list) };
  }
}
