// Installs the SQL views that this version and the definitions of custom fields call for. No migration creates views.
//
//   up to date           ─▶ nothing is written (two queries)
//   missing              ─▶ created
//   ours, out of date    ─▶ replaced; where other objects depend on it, it stays and a warning is reported
//   of another origin    ─▶ it stays and a warning is reported
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { lockViews } from '#src/store/locks.ts';
import type { DesiredView, ExistingView } from './view-installer.ts';
import { readDefinitions, viewNames, viewsFor } from './views.ts';

export interface InstallNeeds extends Pick<Store, 'db' | 'engine' | 'transaction'> {
  /** Receives the problems: views that could not be installed. */
  readonly warn: (problem: SlotstreamError) => void;
}

/** Never fails: the mirror works without its views. */
export async function installViews(needs: InstallNeeds): Promise<void> {
  try {
    if ((await outdatedViews(needs)).length === 0) return;
    const problems = await needs.transaction(async (unit) => {
      await lockViews(unit);
      // Read again with the lock held: another process may have created them meanwhile.
      return update(unit, await outdatedViews(unit));
    });
    for (const problem of problems) needs.warn(problem);
  } catch (error) {
    needs.warn(
      new SlotstreamError('refused', `The SQL views could not be updated (${codeOf(error)}).`, {
        hint: 'The mirror works without them; the next start tries again. The user of DATABASE_URL must be allowed to create views.',
        cause: error,
      }),
    );
  }
}

interface Difference {
  readonly view: DesiredView;
  readonly existing: ExistingView | undefined;
}

type Readable = Pick<Store, 'db' | 'engine'>;

async function outdatedViews(from: Readable): Promise<readonly Difference[]> {
  const { db, engine } = from;
  const { views: installer } = engine;
  const existing = await installer.existing(db, viewNames);
  return viewsFor(await readDefinitions(from))
    .map(({ name, about, select }) => ({
      view: { name, about, select: select(engine.dialect) },
      existing: existing.get(name),
    }))
    .filter((each) => each.existing?.mark !== installer.markOf(db, each.view));
}

async function update(
  { db, engine }: Readable,
  differences: readonly Difference[],
): Promise<readonly SlotstreamError[]> {
  const { views: installer } = engine;
  const problems: SlotstreamError[] = [];
  for (const { view, existing } of differences) {
    if (existing === undefined) await installer.create(db, view);
    else if (!existing.isOurs) problems.push(nameTaken(view));
    else {
      const cause = await installer.replace(db, view);
      if (cause !== undefined) problems.push(notReplaced(view, cause));
    }
  }
  return problems;
}

function nameTaken({ name }: DesiredView): SlotstreamError {
  return new SlotstreamError('refused', `"${name}" in the store was not created by Slotstream and is left unchanged.`, {
    hint: 'Rename or drop it and start again: the view of that name is then created.',
  });
}

/** Dependent objects (2BP01), a long-running reader (55P03), a view of another owner (42501). */
function notReplaced({ name }: DesiredView, cause: unknown): SlotstreamError {
  const hints: Readonly<Record<string, string>> = {
    '2BP01': `Drop the views that use ${name}, start again, and create them again.`,
    '55P03': 'A long-running query was reading it; the next start tries again.',
    '42501': `Let the user of DATABASE_URL own it: alter view ${name} owner to …`,
  };
  return new SlotstreamError(
    'refused',
    `The view ${name} is out of date and could not be replaced (${codeOf(cause)}).`,
    {
      hint: hints[codeOf(cause)] ?? 'Drop it and start again: it is then created again.',
      cause,
    },
  );
}
