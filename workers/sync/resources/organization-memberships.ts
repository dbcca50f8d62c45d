// Who belongs to the organization; a membership carries its user.
import type { RecordKind } from '#schemas/records.ts';
import type { Client } from '#src/upstream/client.ts';
import { getUser, listOrganizationMemberships } from '#src/upstream/endpoints.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Resource } from './contract.ts';
import { listPages } from './list-pages.ts';

export const organizationMemberships: Resource = {
  name: 'organization_memberships',
  feeds: [],
  async *pages({ client, organization }, { from, query, signal } = {}) {
    const list = {
      name: 'organization memberships',
      kind: 'organization_membership' as RecordKind,
      open: (token: string | undefined) =>
        listOrganizationMemberships(client, { organization, ...query }, { from: token, signal }),
    };
    for await (const page of listPages(list, from)) {
      const users: ServiceRecord[] = [];
      for (const { record } of page.records)
        if (typeof record['user'] === 'string') users.push(await userAt(client, record['user'], signal));
      const records = [...page.records, ...users];
      yield { ...page, records, rows: records.length };
    }
  },
};

/** Where a membership only names its user. */
async function userAt(client: Client, uri: string, signal: AbortSignal | undefined): Promise<ServiceRecord> {
  const { record, observed } = await getUser(client, uri, { signal });
  return { kind: 'user', record, observed };
}
