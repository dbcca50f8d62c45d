// The hosts of meetings; hosts and event types by name, as filters offer them; and the time zones of hosts.
import { propertyOf } from '#schemas/wire.ts';
import type { Readable } from '#src/store/contract.ts';

/** As many as a menu can show. */
const mostChoices = 500;

export async function readBookingFilters({ store: { db } }: { readonly store: Readable }) {
  const [hosts, eventTypes] = await Promise.all(
    (['users', 'event_types'] as const).map((table) =>
      db.selectFrom(table).select(['uri', 'name']).orderBy('name').orderBy('uri').limit(mostChoices).execute(),
    ),
  );
  const named = (rows: typeof hosts = []) => rows.map(({ uri, name }) => ({ uri, name: name ?? uri }));
  return { hosts: named(hosts), eventTypes: named(eventTypes) };
}

export async function readTimeZones({ db }: Readable): Promise<ReadonlyMap<string, string | null>> {
  const users = await db.selectFrom('users').select(['uri', 'timezone']).execute();
  return new Map(users.map(({ uri, timezone }) => [uri, timezone]));
}

export interface Host {
  readonly uri: string | undefined;
  readonly email: string | undefined;
  readonly name: string | undefined;
}

/** The hosts of a meeting. They are JSON as the service sent it: values that are not strings are ignored. */
export function hostsOf({ event }: { readonly event: { readonly hosts: unknown } | undefined }): readonly Host[] {
  const hosts = Array.isArray(event?.hosts) ? event.hosts : [];
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return hosts.map((host: unknown) => ({
    uri: text(propertyOf(host, 'user')),
    email: text(propertyOf(host, 'user_email')),
    name: text(propertyOf(host, 'user_name')),
  }));
}
