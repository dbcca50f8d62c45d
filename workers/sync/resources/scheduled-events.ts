// Meetings, past and future, active and canceled, with their invitees: one call per meeting, a few at a time.
import { isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { listEventInvitees, listScheduledEvents } from '#src/upstream/endpoints.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { Resource, ResourcePage } from './contract.ts';
import { nestedListPages, nestedToken, recordsOf, type NestedPosition } from './list-pages.ts';

/** After a kill, the invitees of at most this many meetings are requested twice. */
const meetingsPerPage = 20;
const callsAtOnce = 4;

export const scheduledEvents: Resource = {
  name: 'scheduled_events',
  feeds: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'],
  pages: ({ client, organization }, { from, query, signal } = {}) =>
    nestedListPages(
      {
        name: 'scheduled events',
        kind: 'scheduled_event',
        open: (token) =>
          listScheduledEvents(client, { organization, sort: 'start_time:asc', ...query }, { from: token, signal }),
      },
      from,
      (position) => inviteePages(client, position, signal),
    ),
  /** One call per hundred meetings. */
  async count({ client, organization }, { signal } = {}) {
    let meetings = 0;
    for await (const { records } of listScheduledEvents(client, { organization }, { signal }))
      meetings += records.length;
    return meetings;
  },
};

async function* inviteePages(
  client: Client,
  { pending, next }: NestedPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResourcePage> {
  for (let at = 0; at < pending.length; at += meetingsPerPage) {
    const some = pending.slice(at, at + meetingsPerPage);
    const records = (await eachOf(some, (event) => inviteesOf(client, event, signal))).flat();
    const nextToken = nestedToken({ pending: pending.slice(at + meetingsPerPage), next });
    yield { records, rows: records.length, nextToken };
  }
}

async function inviteesOf(
  client: Client,
  event: string,
  signal: AbortSignal | undefined,
): Promise<readonly ServiceRecord[]> {
  const records: ServiceRecord[] = [];
  try {
    for await (const page of listEventInvitees(client, event, { signal })) records.push(...recordsOf('invitee', page));
  } catch (error) {
    // The meeting was deleted a moment ago; its invitees cannot be read any more.
    if (!isStatus(error, 404)) throw error;
  }
  return records;
}

/** Runs a few at a time and returns the results in order. After a failure no further one is started, and none is left running. */
async function eachOf<Result>(
  items: readonly string[],
  work: (item: string) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = [...items.entries()];
  const results: Result[] = [];
  const failures: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
        queue.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, line));
  if (failures.length > 0) throw failures[0];
  return results;
}
