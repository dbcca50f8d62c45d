// Meetings, past and future, active and canceled, with their invitees: one call per meeting, a few at a time.
import { listEventInvitees, listScheduledEvents } from '#src/upstream/endpoints.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';
import { concurrently } from './concurrently.ts';
import type { Notice, PageOptions, Resource, ResourcePage } from './contract.ts';
import { noticeOf } from './left-out.ts';
import { nestedListPages, nestedToken, recordsOf, type List, type NestedPosition } from './list-pages.ts';

/** After a kill, the invitees of at most this many meetings are requested twice. */
const meetingsPerPage = 20;

export const scheduledEvents: Resource = {
  name: 'scheduled_events',
  feeds: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'],
  pages(sources, options = {}) {
    const list = meetings(sources, options);
    return nestedListPages(list, options.from, (position) => inviteePages(sources, list, { position, ...options }));
  },
  /** One call per hundred meetings. */
  async count({ client, organization }, { signal } = {}) {
    let count = 0;
    for await (const { records } of listScheduledEvents(client, { organization }, { signal })) count += records.length;
    return count;
  },
};

const meetings = ({ client, organization }: Sources, { query, signal }: PageOptions): List => ({
  name: 'scheduled events',
  kind: 'scheduled_event',
  open: (token) =>
    listScheduledEvents(client, { organization, sort: 'start_time:asc', ...query }, { from: token, signal }),
});

async function* inviteePages(
  sources: Sources,
  list: List,
  { position, isNestedRead, signal }: PageOptions & { readonly position: NestedPosition },
): AsyncGenerator<ResourcePage> {
  const { next } = position;
  const pending = isNestedRead ? position.pending.filter(isNestedRead) : position.pending;
  for (let at = 0; at < pending.length; at += meetingsPerPage) {
    const some = pending.slice(at, at + meetingsPerPage);
    const found = await concurrently(some, (event) => inviteesOf(sources, { event, list, signal }));
    const records = found.flatMap((each) => each.records);
    const nextToken = nestedToken({ pending: pending.slice(at + meetingsPerPage), next });
    yield { records, rows: records.length, nextToken, notices: found.flatMap(({ notices }) => notices) };
  }
}

async function inviteesOf(
  { client }: Sources,
  { event, list, signal }: { readonly event: string; readonly list: List; readonly signal: AbortSignal | undefined },
): Promise<{ readonly records: readonly ServiceRecord[]; readonly notices: readonly Notice[] }> {
  const records: ServiceRecord[] = [];
  try {
    for await (const page of listEventInvitees(client, event, { signal })) records.push(...recordsOf('invitee', page));
    return { records, notices: [] };
  } catch (error) {
    return { records, notices: [await noticeOf(`invitees of ${event}`, error, list)] };
  }
}
