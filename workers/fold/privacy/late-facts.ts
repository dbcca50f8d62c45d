// Late facts: entries that arrive after an erasure but are not newer than it. They can reveal further records of the person. Those
// are then erased by URI too, because later entries about them need not contain the address.
import type { Unit } from '#src/store/contract.ts';
import { appendEntries } from '#src/store/log/append.ts';
import { unparsedNaming, type NewEntry } from '#src/store/log/read.ts';
import { blankEntry, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { Fact } from '#workers/fold/projections/contract.ts';
import { erasureEntry, factOfErasure, type ErasedSubject } from '#workers/fold/projections/erasure.ts';
import { withSubjects, type Erasures } from './erasure-index.ts';
import { erasedSubjectsIn } from './redact-fact.ts';
import { redactLog, type ChangedRows } from './redact-log.ts';
import { recapsOf, submittedBy } from './target.ts';

export interface LateSubjects {
  /** All erasures, with these subjects included. */
  readonly erasures: Erasures;
  readonly subjects: readonly ErasedSubject[];
  /** The erasure entries that the log will record for them. */
  readonly entries: readonly NewEntry[];
  /** What those entries do to rows. */
  readonly facts: readonly Fact[];
}

export function findLateSubjects(current: Erasures, items: readonly ParsedItem[]): LateSubjects {
  let erasures = current;
  const entries: NewEntry[] = [];
  const subjects: ErasedSubject[] = [];
  // Repeated until nothing is added: a record that is found can reveal another, such as the recap of a meeting.
  for (let before: number | undefined; current.seq > 0 && before !== subjects.length;) {
    before = subjects.length;
    for (const item of items) {
      const found = erasedSubjectsIn(erasures, item).filter(({ uri }) => !erasures.subjects.has(uri));
      if (found.length === 0) continue;
      const at = item.entry.received_at;
      entries.push(...found.map((one) => erasureEntry(one, { at, base: blankEntry })));
      subjects.push(...found);
      erasures = withSubjects(erasures, found);
    }
  }
  return { erasures, subjects, entries, facts: entries.flatMap(({ body }) => factOfErasure(body) ?? []) };
}

/** Records the late subjects in the log and redacts the entries that the log already holds about them. The log must be locked. */
export async function eraseLateSubjects(unit: Unit, { erasures, subjects, entries }: LateSubjects): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  await unit.engine.noteRedaction(unit.db);
  const people = subjects.map(({ uri }) => uri);
  // Erased by URI too: a later entry about a form need not name its submitter, and a transcript does not name the meeting.
  const related = [...(await submittedBy(unit, people)), ...(await recapsOf(unit, people))].filter(
    ({ uri }) => !erasures.subjects.has(uri),
  );
  const at = first.received_at;
  await appendEntries(unit, [...entries, ...related.map((one) => erasureEntry(one, { at, base: blankEntry }))]);
  const uris = [...people, ...related.map(({ uri }) => uri)];
  const unreadable = await Promise.all(uris.map((uri) => unparsedNaming(unit, uri)));
  const seqs = [...(await entriesInvolving(unit, uris)), ...unreadable.flat().map(({ seq }) => seq)];
  const changedRows: ChangedRows = new Map();
  await redactLog(unit, withSubjects(erasures, related), { seqs: new Set(seqs), changedRows });
}

/** Entries about these subjects, and about the invitees of these meetings. */
async function entriesInvolving({ db }: Unit, uris: readonly string[]): Promise<number[]> {
  const invitees = db.selectFrom('invitees').select('uri').where('event_uri', 'in', uris);
  const rows = await db
    .selectFrom('event_log')
    .select('seq')
    .where(({ or, eb }) => or([eb('subject_uri', 'in', uris), eb('subject_uri', 'in', invitees)]))
    .execute();
  return rows.map(({ seq }) => seq);
}
