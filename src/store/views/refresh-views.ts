// Installs the SQL views that this version and the definitions of custom fields call for. No migration creates views.
//
//   up to date           ─▶ nothing is written (four queries)
//   missing              ─▶ created
//   ours, out of date    ─▶ replaced, or dropped and created; where neither can be done, it stays and a problem says what to run
//   of another origin    ─▶ it stays and a problem is reported
//
// The data of time zones that the views use is refilled here too, when the runtime has another version of it.
import { isDeepStrictEqual } from 'node:util';
import { slotstream } from '#src/base/command.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import { lockViews } from '#src/store/locks.ts';
import { writeRows } from '#src/store/rows.ts';
import { reloadSettings } from '#src/store/settings-row.ts';
import type { SharedSettings } from '#src/store/shared-settings.ts';
import { areTimeZonesCurrent, refillTimeZones } from '#src/store/time-zones.ts';
import { reserved } from './contacts-wide.ts';
import { columnsFor, type FieldColumn } from './custom-columns.ts';
import { inOrderOfUse, type EngineName, type View } from './view.ts';
import type { DesiredView, ExistingView } from './view-installer.ts';
import { readFieldColumns, viewsFor } from './views.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

/** The views there should be, with these columns of custom fields. */
type ViewsFor = (columns: readonly FieldColumn[]) => readonly View[];

/** Never fails: the mirror works without its views. Returns the problems: views that could not be installed. */
export async function installViews(
  store: Pick<Store, 'db' | 'engine' | 'transaction' | 'settings'>,
  wanted: ViewsFor = viewsFor,
): Promise<readonly SlotstreamError[]> {
  const { settings } = store;
  try {
    const { outdated, columns, present } = await planOf(store, settings, wanted);
    const hasZones = await areTimeZonesCurrent(store, settings.reportTimezone);
    if (outdated.length === 0 && isDeepStrictEqual(columns, present) && hasZones) return [];
    return await store.transaction(async (unit) => {
      await lockViews(unit);
      // Read again with the lock held: another process may have created them meanwhile, or changed the settings.
      await reloadSettings(unit, settings);
      const zone = settings.reportTimezone;
      if (!(await areTimeZonesCurrent(unit, zone))) await refillTimeZones(unit, zone);
      return update(unit, await planOf(unit, settings, wanted));
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
  /** In the order in which they are created. */
  readonly desired: readonly DesiredView[];
  /** The columns of custom fields as they are, and as they should be. */
  readonly present: readonly FieldColumn[];
  readonly columns: readonly FieldColumn[];
  readonly outdated: readonly Difference[];
}

async function planOf(
  from: Readable,
  { currencyFields }: Pick<SharedSettings, 'currencyFields'>,
  wanted: ViewsFor,
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
  const desired = desiredViews(engine, columns, wanted);
  const existing = await engine.views.existing(
    db,
    desired.map(({ view }) => view.name),
  );
  const outdated = desired
    .map(({ view, mark }) => ({ view, mark, existing: existing.get(view.name) }))
    .filter((each) => each.existing?.mark !== each.mark);
  return { desired: desired.map(({ view }) => view), present, columns, outdated };
}

interface MarkedView {
  readonly view: DesiredView;
  readonly mark: string;
}

interface Marked {
  readonly columns: readonly FieldColumn[];
  readonly views: readonly MarkedView[];
}

/** They change with the columns only, and are compared at every start and every ten minutes. */
const known = new WeakMap<ViewsFor, Map<EngineName, Marked>>();

function desiredViews(engine: StoreEngine, columns: readonly FieldColumn[], wanted: ViewsFor): readonly MarkedView[] {
  const byEngine = known.get(wanted) ?? new Map<EngineName, Marked>();
  known.set(wanted, byEngine);
  const made = byEngine.get(engine.name);
  if (made && isDeepStrictEqual(made.columns, columns)) return made.views;
  const views = inOrderOfUse(wanted(columns), engine.name).map(({ uses, ...each }): MarkedView => {
    const { name, about } = each;
    const view = { name, about, columns: meaningsOf(each.columns), text: each.select(engine.name), uses };
    return { view, mark: engine.views.markOf(view) };
  });
  byEngine.set(engine.name, { columns, views });
  return views;
}

const meaningsOf = (columns: View['columns']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { about, joins }]) => [name, joins ? `${about} (${joins})` : about]),
  );

async function update(
  { db, engine }: Readable,
  { desired, present, columns, outdated }: Plan,
): Promise<readonly SlotstreamError[]> {
  const problems: SlotstreamError[] = [];
  let installed = columns;
  const taken = new Set<string>();
  for (const { view, existing } of outdated) {
    const { name } = view;
    const missing = [...view.uses].find((used) => taken.has(used));
    if (existing?.isOurs === false) {
      taken.add(name);
      problems.push(nameTaken(name));
    } else if (missing !== undefined) problems.push(withoutUsed(name, missing));
    else if (existing === undefined) await engine.views.create(db, view);
    else {
      const users = desired.filter(({ uses }) => uses.has(name));
      const cause = await engine.views.replace(db, view, users);
      if (cause === undefined) continue;
      problems.push(notReplaced(view, engine.schema, cause));
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

const withoutUsed = (name: string, used: string): SlotstreamError =>
  new SlotstreamError('refused', `The view ${name} is not made: it reads "${used}", which is not of Slotstream.`, {
    hint: `Rename or drop "${used}" and start again: both views are then created.`,
  });

/** What else depends on it (2BP01), a long-running reader (55P03), a view of another owner (42501). */
function notReplaced({ name }: DesiredView, schema: string, cause: unknown): SlotstreamError {
  const code = codeOf(cause);
  const relation = `${schema}.${name}`;
  const hints: Readonly<Record<string, string>> = {
    '2BP01': `It needs other columns, or columns of another type, and other views depend on it. Run: drop view ${relation} cascade; then ${slotstream} doctor, and create those views again. Until then it stays as it is.`,
    '55P03': 'A long-running query was reading it; it is tried again at the next start, and every ten minutes.',
    '42501': `Let the user of DATABASE_URL own it: alter view ${relation} owner to …`,
  };
  return new SlotstreamError('refused', `The view ${name} is out of date and could not be replaced (${code}).`, {
    hint: hints[code] ?? `Run: drop view ${relation}; then ${slotstream} doctor, which creates it again.`,
    cause,
  });
}
