// The one row of `mirror_settings`: read, settled by the first worker, changed by `slotstream settings --apply`.
import type { Store, Unit } from './contract.ts';
import { lockKey, lockLog } from './locks.ts';
import { decodeRow, writeRows } from './rows.ts';
import {
  columnsOf,
  SharedSettings,
  valuesOf,
  withStated,
  type SettingName,
  type SettingsRow,
  type StatedSettings,
} from './shared-settings.ts';
import { addTimeZones } from './time-zones.ts';

type Readable = Pick<Unit, 'db' | 'engine'>;
type Writable = Pick<Store, 'db' | 'engine' | 'transaction' | 'settings'>;

async function readRow({ db, engine }: Readable): Promise<SettingsRow> {
  return decodeRow(
    engine,
    'mirror_settings',
    await db.selectFrom('mirror_settings').selectAll().executeTakeFirstOrThrow(),
  );
}

/** The service and the organization; null before the first `bootstrap` or `backfill`. `owner`: for whom webhooks are registered. */
export type StoredAccount = Pick<SettingsRow, 'origin' | 'organization' | 'owner'>;

export const readAccount = (from: Readable): Promise<StoredAccount> => readRow(from);

export async function openSettings(from: Readable, stated?: StatedSettings): Promise<SharedSettings> {
  return new SharedSettings(await readRow(from), stated);
}

/** Returns the settings that have other values than before. */
export async function reloadSettings(from: Readable, settings: SharedSettings): Promise<readonly SettingName[]> {
  return settings.follow(await readRow(from));
}

/** The first worker writes what its environment says. Later ones change nothing. */
export async function settleSettings(store: Writable, at: string): Promise<void> {
  if (store.settings.isSettled) return;
  await changeRow(store, (row) => (row.settled_at === null ? { ...columnsOf(store.settings), settled_at: at } : {}));
  await reloadSettings(store, store.settings);
}

/** From its commit on, entries are folded by these values. */
export async function applySettings(store: Writable, stated: StatedSettings, at: string): Promise<void> {
  await changeRow(store, (row) => ({
    ...columnsOf(withStated(valuesOf(row), stated)),
    settled_at: row.settled_at ?? at,
  }));
  await reloadSettings(store, store.settings);
}

/** With the log locked: every entry is folded by the values of before, or by those of after. */
export async function changeRow(
  store: Pick<Store, 'transaction'>,
  change: (row: SettingsRow) => Partial<SettingsRow>,
): Promise<void> {
  await store.transaction(async (unit) => {
    // No one else changes the row as long as this lock is held.
    await lockKey(unit, 'mirror settings');
    const row = await readRow(unit);
    const after = change(row);
    // Before the log is locked, as in every transaction. Views tell local time as soon as the row says which zone it is.
    await addTimeZones(unit, after.report_timezone ? [after.report_timezone] : []);
    await lockLog(unit);
    if (Object.keys(after).length > 0)
      await writeRows(unit, 'mirror_settings', [{ ...row, ...after, revision: row.revision + 1 }]);
  });
}
