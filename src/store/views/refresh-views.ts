// Installs the SQL views that this version and the definitions of custom fields call for. No migration creates views.
//
//   up to date           ─▶ nothing is written (four queries)
//   missing              ─▶ created
//   ours, out of date    ─▶ replaced; where views of others prevent it, it stays and a problem is reported with the names of those views
//   of another origin    ─▶ it stays and a problem is reported
//
// The data of time zones that the views use is refilled here too, when the runtime has another version of it.
import { isDeepStrictEqual } from 'node:util';
import { slotstream } from '#src/base/command.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { lockViews } from '#src/store/locks.ts';
import { writeRows } from '#src/store/rows.ts';
import { reloadSettings } from '#src/store/settings-row.ts';
import type { SharedSettings } from '#src/store/shared-settings.ts';
import { areTimeZonesCurrent, refillTimeZones } from '#src/store/time-zones.ts';
import { reserved } from './contacts-wide.ts';
import { columnsFor, type FieldColumn } from './custom-columns.ts';
import type { View } from './view.ts';
import type { DesiredView, ExistingView } from './view-installer.ts';
import { readFieldColumns, viewNames, viewsFor } from './views.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

/** Never fails: the mirror works without its views. Returns the problems: views that could not be installed. */
export async function installViews(
  store: Pick<Store, 'db' | 'engine' | 'transaction' | 'settings'>,
): Promise<readonly SlotstreamError[]> {
  const { settings } = store;
  try {
    const { outdated, columns, present, reportZone } = await planOf(store, settings);
    const hasZones = await areTimeZonesCurrent(store, reportZone);
    if (outdated.length === 0 && isDeepStrictEqual(columns, present) && hasZones) return [];
    return await store.transaction(async (unit) => {
      await lockViews(unit);
      // Read again with the lock held: another process may have created them meanwhile, or changed the settings.
      await reloadSettings(unit, settings);
      const zone = settings.reportTimezone;
      if (!(await areTimeZonesCurrent(unit, zone))) await refillTimeZones(unit, zone);
      return update(unit, await planOf(unit, settings));
    });
  } catch (error) {
    return [
      new SlotstreamError('refused', `The SQL views could not be updated (${codeOf(error)}).`, {
        hint: 'The mirror works without them; the next start tries again. The user of DATABASE_URL must be allowed to create views.',
        cause: error,
      }),
    ];
  }
}

interface Difference {
  readonly view: DesiredView;
  readonly existing: ExistingView | undefined;
}

interface Plan {
  /** The columns of custom fields as they are, and as they should be. */
  readonly present: readonly FieldColumn[];
  readonly columns: readonly FieldColumn[];
  readonly outdated: readonly Difference[];
  readonly reportZone: string;
}

async function planOf(
  from: Readable,
  { currencyFields, reportTimezone: reportZone }: Pick<SharedSettings, 'currencyFields' | 'reportTimezone'>,
): Promise<Plan> {
  const { db, engine } = from;
  const present = await readFieldColumns(from);
  const definitions = await db
    .selectFrom('custom_field_definitions')
    .select(['uri', 'label', 'field_type', 'created_at'])
    .where('deleted_at', 'is', null)
    .execute();
  const typed = definitions.map((one) =>
    one.field_type === 'currency' && currencyFields === 'major' ? { ...one, field_type: 'currency_major' } : one,
  );
  const columns = columnsFor(present, typed, reserved);
  const existing = await engine.views.existing(db, viewNames);
  return { present, columns, reportZone, outdated: differencesOf(from, { columns, reportZone }, existing) };
}

function differencesOf(
  { db, engine }: Readable,
  { columns, reportZone }: Pick<Plan, 'columns' | 'reportZone'>,
  existing: ReadonlyMap<string, ExistingView>,
): readonly Difference[] {
  return desiredViews({ db, engine }, columns, reportZone)
    .map(({ view, mark }) => ({ view, mark, existing: existing.get(view.name) }))
    .filter((each) => each.existing?.mark !== each.mark);
}

interface MarkedView {
  readonly view: DesiredView;
  readonly mark: string;
}

/** Compiling the views takes longer than reading the existing ones, and they change with the columns only. */
const compiled = new Map<string, { readonly columns: readonly FieldColumn[]; readonly views: readonly MarkedView[] }>();

function desiredViews({ db, engine }: Readable, columns: readonly FieldColumn[], reportZone: string) {
  const key = `${engine.name} ${reportZone}`;
  const known = compiled.get(key);
  if (known && isDeepStrictEqual(known.columns, columns)) return known.views;
  const views = viewsFor(columns).map(({ name, about, columns: described, select }): MarkedView => {
    const view = { name, about, columns: meaningsOf(described), select: select(engine.dialect, reportZone) };
    return { view, mark: engine.views.markOf(db, view) };
  });
  compiled.set(key, { columns, views });
  return views;
}

const meaningsOf = (columns: View['columns']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([name, { about }]) => [name, about]));

async function update(
  { db, engine }: Readable,
  { present, columns, outdated }: Plan,
): Promise<readonly SlotstreamError[]> {
  const problems: SlotstreamError[] = [];
  let installed = columns;
  for (const { view, existing } of outdated) {
    const { name } = view;
    if (existing === undefined) await engine.views.create(db, view);
    else if (!existing.isOurs) problems.push(nameTaken(name));
    else {
      const cause = await engine.views.replace(db, view);
      if (cause === undefined) continue;
      problems.push(notReplaced(name, cause, await engine.views.dependents(db, name)));
      if (name === 'contacts_wide') installed = present;
    }
  }
  if (!isDeepStrictEqual(installed, present)) await writeRows({ db, engine }, 'contacts_wide_columns', installed);
  return problems;
}

function nameTaken(name: string): SlotstreamError {
  return new SlotstreamError('refused', `"${name}" in the store was not created by Slotstream and is left unchanged.`, {
    hint: 'Rename or drop it and start again: the view of that name is then created.',
  });
}

/** PostgreSQL's code where a view cannot be dropped because other objects depend on it. */
const hasDependents = '2BP01';

/** Dependent objects, a long-running reader (55P03), a view of another owner (42501). */
function notReplaced(name: string, cause: unknown, dependents: readonly string[]): SlotstreamError {
  const code = codeOf(cause);
  if (code === hasDependents)
    return new SlotstreamError(
      'refused',
      `The view ${name} needs other columns, or columns of another type, which these views prevent: ${dependents.join(', ')}.`,
      {
        hint: `Drop them, run ${slotstream} doctor, and create them again. Until then the view stays as it is.`,
        cause,
      },
    );
  const hints: Readonly<Record<string, string>> = {
    '55P03': 'A long-running query was reading it; it is tried again at the next start, and every ten minutes.',
    '42501': `Let the user of DATABASE_URL own it: alter view ${name} owner to …`,
  };
  return new SlotstreamError('refused', `The view ${name} is out of date and could not be replaced (${code}).`, {
    hint: hints[code] ?? 'Drop it and start again: it is then created again.',
    cause,
  });
}
