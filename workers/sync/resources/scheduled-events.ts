// Meetings, past and future, active and canceled, with their invitees: one call per meeting, a few at a time.
import { listEventInvitees, listScheduledEvents } from '#src/upstream/endpoints.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';
import type { PageOptions, Resource } from './contract.ts';
import { noticeOf } from './left-out.ts';
import { isRestarted, listPages, type List } from './list-pages.ts';
import { nestedListPages, pagesOfEach, type NestingList, type ReadWithin } from './nested-pages.ts';

export const scheduledEvents: Resource = {
  name: 'scheduled_events',
  feeds: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'],
  pages(sources, options = {}) {
    const list = meetings(sources, options);
    const { isNestedRead = () => true, signal } = options;
    return nestedListPages(list, options.from, (position) =>
      pagesOfEach({ ...position, pending: position.pending.filter(isNestedRead) }, (event) =>
        inviteesOf(sources, { event, list, signal }),
      ),
    );
  },
  /** One call per hundred meetings. */
  async count({ client, organization }, { signal } = {}) {
    let count = 0;
    for await (const { records } of listScheduledEvents(client, { organization }, { signal })) count += records.length;
    return count;
  },
};

function meetings({ client, organization }: Sources, { query, signal }: PageOptions): NestingList {
  const filters = { organization, sort: 'start_time:asc' as const, ...query };
  return {
    name: 'scheduled events',
    kind: 'scheduled_event',
    open: (token) => listScheduledEvents(client, filters, { from: token, signal }),
    openSince: (start, token) =>
      listScheduledEvents(client, { ...filters, min_start_time: start }, { from: token, signal }),
  };
}

async function inviteesOf(
  { client }: Sources,
  { event, list, signal }: { readonly event: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<ReadWithin> {
  const name = `invitees of ${event}`;
  const open = (token?: string) => listEventInvitees(client, event, { from: token, signal });
  let records: readonly ServiceRecord[] = [];
  try {
    for await (const page of listPages({ name, kind: 'invitee', open }, undefined))
      records = isRestarted(page) ? page.records : [...records, ...page.records];
    return { records, notices: [] };
  } catch (error) {
    return { records, notices: [await noticeOf(name, error, { around: list, isRest: records.length > 0 })] };
  }
}
