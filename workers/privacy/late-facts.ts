// Facts that come only after an erasure, and are no newer, may be of records that nobody knew were the person's. From then on
// those are erased too, by name: what is told about them later need not hold the address to be recognised.
import type { Unit } from '#src/store/contract.ts';
import { appendEntries, unreadableNaming, type NewEntry } from '#src/store/log/log.ts';
import type { Compiled } from '#workers/projections/contract.ts';
import { unread, type Reading } from '#workers/pipeline/parse.ts';
import { ownSubjects } from './redact-fact.ts';
import { compiledErasure, erasureEntry, type ErasedSubject } from './erasure-entry.ts';
import { withMore, type Erasures } from './erasure-index.ts';
import { rewrite } from './redact-log.ts';
import { submittedBy } from './target.ts';

export interface Late {
  /** Everybody who is erased by now. */
  readonly erasures: Erasures;
  readonly subjects: readonly ErasedSubject[];
  /** What the log is to tell of them. */
  readonly entries: readonly NewEntry[];
  /** What that does to rows. */
  readonly buried: readonly Compiled[];
}

export function lateAmong(standing: Erasures, readings: readonly Reading[]): Late {
  let erasures = standing;
  const entries: NewEntry[] = [];
  const subjects: ErasedSubject[] = [];
  // One that is found may make another one theirs: the recap of a meeting.
  for (let known = -1; standing.seq > 0 && known !== subjects.length;) {
    known = subjects.length;
    for (const reading of readings) {
      const news = ownSubjects(erasures, reading).filter(({ uri }) => !erasures.subjects.has(uri));
      if (news.length === 0) continue;
      const at = reading.entry.received_at as string;
      entries.push(...news.map((one) => erasureEntry(one, { at, base: unread })));
      subjects.push(...news);
      erasures = withMore(erasures, news);
    }
  }
  return { erasures, subjects, entries, buried: entries.flatMap(({ body }) => compiledErasure(body) ?? []) };
}

/** Tells of them in the log, and takes out what stood there before anybody knew. Its caller holds the log. */
export async function eraseLate(unit: Unit, late: Late): Promise<void> {
  const { subjects, entries } = late;
  const [first] = entries;
  if (first === undefined) return;
  await unit.engine.noteForgotten(unit.db);
  const people = subjects.map(({ uri }) => uri);
  // By name too: what is told of them later need not say who submitted it.
  const forms = (await submittedBy(unit, people)).filter(({ uri }) => !late.erasures.subjects.has(uri));
  const at = first.received_at as string;
  await appendEntries(unit, [...entries, ...forms.map((form) => erasureEntry(form, { at, base: unread }))]);
  const uris = [...people, ...forms.map(({ uri }) => uri)];
  const unreadable = await Promise.all(uris.map((uri) => unreadableNaming(unit, uri)));
  const places = [...(await placesAbout(unit, uris)), ...unreadable.flat().map(({ seq }) => seq as number)];
  await rewrite(unit, withMore(late.erasures, forms), { places: new Set(places), touched: new Map() });
}

/** Entries about these, about the invitees of these meetings, and about their recaps. */
async function placesAbout({ db }: Unit, uris: readonly string[]): Promise<number[]> {
  const invitees = db.selectFrom('invitees').select('uri').where('event_uri', 'in', uris);
  const recaps = db.selectFrom('meeting_recaps').select('uri').where('event_uri', 'in', uris);
  const rows = await db
    .selectFrom('event_log')
    .select('seq')
    .where('source', '<>', 'operator')
    .where(({ or, eb }) =>
      or([eb('subject_uri', 'in', uris), eb('subject_uri', 'in', invitees), eb('subject_uri', 'in', recaps)]),
    )
    .execute();
  return rows.map(({ seq }) => seq);
}
