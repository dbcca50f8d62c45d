// Keeps the views as this program, and the definitions of custom fields, want them: made by code, never by migration.
//
//   as wanted          ─▶ nothing is written (two queries)
//   missing            ─▶ made
//   ours, but other    ─▶ replaced; where others' objects depend on it, left as it is, and said so
//   somebody else's    ─▶ left as it is, and said so
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { lockViews } from '#src/store/locks.ts';
import type { Standing, WantedView } from './view-installer.ts';
import { readDefinitions, viewNames, viewsFor } from './views.ts';

export interface UpkeepNeeds extends Pick<Store, 'db' | 'engine' | 'transaction'> {
  /** Told of views that are not as they should be: no reason to stop. */
  readonly warn: (problem: SlotstreamError) => void;
}

/** Never fails: a store without its views still mirrors. */
export async function keepViews(needs: UpkeepNeeds): Promise<void> {
  try {
    if ((await differing(needs)).length === 0) return;
    const problems = await needs.transaction(async (unit) => {
      await lockViews(unit);
      // Only now, when nobody else is at it: another process may just have made them.
      return renew(unit, await differing(unit));
    });
    for (const problem of problems) needs.warn(problem);
  } catch (error) {
    needs.warn(
      new SlotstreamError('refused', `The SQL views could not be brought up to date (${codeOf(error)}).`, {
        hint: 'The mirror goes on; the next start tries again. The user of DATABASE_URL must be allowed to create views.',
        cause: error,
      }),
    );
  }
}

interface Difference {
  readonly view: WantedView;
  readonly standing: Standing | undefined;
}

type Place = Pick<Store, 'db' | 'engine'>;

async function differing(place: Place): Promise<readonly Difference[]> {
  const { db, engine } = place;
  const { views: installer } = engine;
  const standing = await installer.standing(db, viewNames);
  const wanted = viewsFor(await readDefinitions(place)).map(({ name, about, select }) => ({
    name,
    about,
    select: select(engine.dialect),
  }));
  return wanted
    .map((view) => ({ view, standing: standing.get(view.name) }))
    .filter(({ view, standing: there }) => there?.mark !== installer.markOf(db, view));
}

async function renew({ db, engine }: Place, differences: readonly Difference[]): Promise<readonly SlotstreamError[]> {
  const { views: installer } = engine;
  const problems: SlotstreamError[] = [];
  for (const { view, standing } of differences) {
    if (standing === undefined) await installer.make(db, view);
    else if (!standing.ours) problems.push(takenBy(view));
    else {
      const inTheWay = await installer.replace(db, view);
      if (inTheWay !== undefined) problems.push(leftAlone(view, inTheWay));
    }
  }
  return problems;
}

function takenBy({ name }: WantedView): SlotstreamError {
  return new SlotstreamError('refused', `"${name}" in the store was not made by Slotstream, and is left as it is.`, {
    hint: 'Rename or drop it, and start again: the view of that name is then made.',
  });
}

/** Dependent objects (2BP01), a reader that does not let go (55P03), a view of another owner (42501). */
function leftAlone({ name }: WantedView, cause: unknown): SlotstreamError {
  const hints: Readonly<Record<string, string>> = {
    '2BP01': `Drop the views that use ${name}, start again, and make them anew.`,
    '55P03': 'Something was reading it for long; the next start tries again.',
    '42501': `Let the user of DATABASE_URL own it: alter view ${name} owner to …`,
  };
  return new SlotstreamError(
    'refused',
    `The view ${name} is out of date and could not be replaced (${codeOf(cause)}).`,
    {
      hint: hints[codeOf(cause)] ?? `Drop it and start again: it is then made anew.`,
      cause,
    },
  );
}
