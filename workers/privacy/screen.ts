// The privacy stage of the pipeline: removes erased people from entries before they are folded, and redacts the log entries about
// deleted and erased contacts.
import type { Screen } from '#workers/pipeline/screen.ts';
import type { MergeOptions } from '#workers/projections/merge.ts';
import { dropKnownErasures, knownErasures, lastErasure, requireCurrent } from './erasure-index.ts';
import { eraseLateSubjects, findLateSubjects } from './late-facts.ts';
import { blankedContacts, contactsDeletedBy, redactedEntry, redactEntriesAbout } from './redact-deleted.ts';
import { redactErased } from './redact-fact.ts';

export function privacyScreen({ eraseOnDelete }: MergeOptions): Screen {
  const options = { eraseOnDelete };
  return {
    eraseOnDelete,
    async screen(unit, items) {
      const erasures = await knownErasures(unit);
      const late = findLateSubjects(erasures, items);
      return {
        items: items.map((item) => redactErased(late.erasures, item)),
        facts: late.facts,
        requireCurrent: (locked) => requireCurrent(locked, erasures),
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
    version: lastErasure,
  };
}
