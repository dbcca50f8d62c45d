// The privacy stage of the pipeline: removes erased people from entries before they are folded, and redacts the log entries about
// deleted and erased contacts.
import { SlotstreamError } from '#src/base/errors.ts';
import type { Unit } from '#src/store/contract.ts';
import { reloadSettings } from '#src/store/settings-row.ts';
import { SharedSettings } from '#src/store/shared-settings.ts';
import type { Screen } from '#workers/fold/pipeline/screen.ts';
import type { MergeOptions } from '#workers/fold/projections/merge.ts';
import { dropKnownErasures, erasuresAt, knownErasures, readMark, requireErasures, type Mark } from './erasure-index.ts';
import { eraseLateSubjects, findLateSubjects } from './late-facts.ts';
import { blankedContacts, contactsDeletedBy, redactedEntry, redactEntriesAbout } from './redact-deleted.ts';
import { redactErased } from './redact-fact.ts';

/** `rules`: the settings of the mirror, which change while processes run; or fixed options. */
export function privacyScreen(rules: SharedSettings | MergeOptions): Screen {
  const shared = rules instanceof SharedSettings ? rules : undefined;
  const isCurrent = ({ revision }: Mark): boolean => shared === undefined || shared.revision === revision;
  const reload = async (from: Pick<Unit, 'db' | 'engine'>) => {
    if (shared) await reloadSettings(from, shared);
  };

  /** Where transactions run one after the other, nothing can change before this one ends. */
  async function readCurrent(unit: Unit) {
    const mark = await readMark(unit);
    if (!isCurrent(mark)) await reload(unit);
    return { erasures: await erasuresAt(unit, mark), requireCurrent: async () => {} };
  }

  /** Where others write at the same time, what was read before is used, and compared once the log is locked. */
  async function assumeCurrent(unit: Unit) {
    const erasures = await knownErasures(unit);
    const revision = shared?.revision;
    const requireCurrent = async (locked: Unit): Promise<void> => {
      const mark = await readMark(locked);
      requireErasures(locked, erasures, mark);
      if (isCurrent(mark) && shared?.revision === revision) return;
      await reload(locked);
      throw new SlotstreamError('settings_changed', 'The settings of the mirror changed while entries were applied.', {
        hint: 'Nothing was written. Try again.',
      });
    };
    return { erasures, requireCurrent };
  }

  return {
    get eraseOnDelete() {
      return rules.eraseOnDelete;
    },
    async screen(unit, items) {
      const { erasures, requireCurrent } = await (unit.engine.manyWriters ? assumeCurrent(unit) : readCurrent(unit));
      const options = { eraseOnDelete: rules.eraseOnDelete };
      const late = findLateSubjects(erasures, items);
      return {
        items: items.map((item) => redactErased(late.erasures, item)),
        facts: late.facts,
        requireCurrent,
        async redactor(locked, folded) {
          const blanked = await blankedContacts(locked, folded, options);
          return (entry, record) =>
            entry.subject_uri !== null && blanked.has(entry.subject_uri) ? redactedEntry(entry, record) : entry;
        },
        async finish(locked, folded) {
          const deleted = contactsDeletedBy(folded, options);
          await redactEntriesAbout(locked, deleted);
          if (late.subjects.length > 0) dropKnownErasures(locked);
          await eraseLateSubjects(locked, late);
          return deleted.length + late.subjects.length > 0;
        },
      };
    },
    async version(from) {
      const mark = await readMark(from);
      if (!isCurrent(mark)) await reload(from);
      return `${mark.erasure} ${mark.revision}`;
    },
  };
}
