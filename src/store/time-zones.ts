// The table `time_zones`: when each zone that a host or an invitee has was how far ahead of UTC. The views compute local time by
// it. SQLite has no data about zones and PostgreSQL has its own, so both stores hold that of the runtime. A row depends on the
// name of its zone and on nothing else.
import { z } from 'zod';
import { instantOf, secondMs } from '#src/base/time.ts';
import { mayBeZone, zonePeriods } from '#src/base/time-zone.ts';
import type { Store, StoreEngine, Unit } from './contract.ts';
import { keyValue, readValue, writeValue } from './key-value.ts';
import { addRows } from './rows.ts';
import type { NewRow } from './schema/tables.ts';

/** Which tables have a column `timezone` whose local time is asked for. */
export const zonedTables = ['users', 'invitees'] as const;

const filled = keyValue('time_zones', z.strictObject({ data: z.string(), report: z.string() }));

const dataVersion = process.versions['tz'] ?? '';

/** The zones that were found in the store by transactions that began after they were committed. */
const stored = new WeakMap<StoreEngine, Set<string>>();

/** What a transaction has added itself may be rolled back with it. */
const addedIn = new WeakMap<Unit['db'], Set<string>>();

/** For each transaction that writes such zones. Those that are known to be stored cost nothing. */
export async function addTimeZones(unit: Unit, zones: Iterable<string>): Promise<void> {
  const known = stored.get(unit.engine) ?? new Set();
  stored.set(unit.engine, known);
  const unknown = new Set<string>();
  for (const zone of zones) if (!known.has(zone) && mayBeZone(zone)) unknown.add(zone);
  if (unknown.size === 0) return;
  const names = [...new Set([...unknown].map(nameOf))];
  const present = await storedAmong(unit, names);
  const added = addedIn.get(unit.db) ?? new Set();
  addedIn.set(unit.db, added);
  for (const zone of unknown) if (present.has(nameOf(zone)) && !added.has(nameOf(zone))) known.add(zone);
  // Only the missing ones: finding the periods of a zone takes ten milliseconds.
  const missing = names.filter((name) => !present.has(name));
  for (const name of missing) added.add(name);
  await addRows(unit, 'time_zones', rowsOf(missing));
}

async function storedAmong({ db }: Unit, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await db.selectFrom('time_zones').select('name').where('name', 'in', names).distinct().execute();
  return new Set(found.map(({ name }) => name));
}

/** Zones are compared in any letter case, as the runtime does: so there are no more names than zones and their aliases. */
const nameOf = (zone: string): string => zone.toLowerCase();

const rowsOf = (names: readonly string[]): readonly NewRow<'time_zones'>[] =>
  // Sorted, so that transactions wait for each other in one order.
  names.toSorted().flatMap((name) =>
    (zonePeriods(name) ?? []).map(({ startsMs, offsetMs }) => ({
      name,
      starts_at: instantOf(startsMs),
      offset_seconds: offsetMs / secondMs,
    })),
  );

export async function areTimeZonesCurrent(store: Pick<Store, 'db' | 'engine'>, report: string): Promise<boolean> {
  const value = await readValue(store, filled);
  return value?.data === dataVersion && value.report === report;
}

/** Fills the table again: for another version of the data, another zone of reports, and at the first start that has the table. */
export async function refillTimeZones(unit: Unit, report: string): Promise<void> {
  // A zone that is stored stays: other processes know that it is (`addTimeZones`).
  const present = await unit.db.selectFrom('time_zones').select('name').distinct().execute();
  const names = new Set([nameOf(report), ...present.map(({ name }) => name)]);
  for (const table of zonedTables) {
    const rows = await unit.db.selectFrom(table).select('timezone').distinct().execute();
    for (const { timezone } of rows) if (timezone !== null) names.add(nameOf(timezone));
  }
  await unit.db.deleteFrom('time_zones').execute();
  await addRows(unit, 'time_zones', rowsOf([...names]));
  await writeValue(unit, filled, { data: dataVersion, report });
}
