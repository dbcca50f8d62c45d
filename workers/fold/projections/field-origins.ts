// Which facts decide the values of a row. A row stores the version of each field, so the deciding fact is found by that version
// alone: `why` names it, and retention keeps it. Folding only the deciding facts yields the same row.
import type { Json } from '#src/store/columns.ts';
import type { Assignment, Fact, MirrorTable, NoShowFact } from './contract.ts';
import { columnsOfField } from './field-mapping.ts';
import { factsOf, noShowPeriods, type NoShowFacts } from './no-show.ts';
import { fieldsOf } from './registry.ts';
import { fieldVersions, observedIn, rowVersion } from './version.ts';

export type Row = Readonly<Record<string, Json>>;

export function originColumns(table: MirrorTable): readonly string[] {
  return ['uri', 'version', 'lagging', ...(table === 'invitees' ? ['no_show_facts'] : [])];
}

/**
 * Whether a row would differ without this fact. A missing row would be created by it. Deletes always count, and every fact that names a
 * meeting whose row is blank: the row is there because of them.
 */
export function drawsFrom(rowOf: (table: MirrorTable, uri: string) => Row | undefined, fact: Fact): boolean {
  const { subject, assignments, tombstone, noShow, meeting } = fact;
  if (tombstone || (meeting !== undefined && rowVersion(rowOf('scheduled_events', meeting) ?? {}) === '')) return true;
  const isDecisive = assignments.some((assignment) => {
    const row = rowOf(assignment.table, assignment.uri);
    return (
      row === undefined || isNewest(row, assignment) || Object.keys(assignment.fields).some(isWon(row, assignment))
    );
  });
  if (isDecisive || !noShow) return isDecisive;
  const row = rowOf(subject.table, subject.uri);
  return row === undefined || counts(factsOf(row['no_show_facts'] ?? null), noShow);
}

/** Columns whose values were decided together, and by which fact. */
export interface Origin {
  readonly columns: readonly string[];
  /** When the deciding fact was observed; the row stores this even where the log no longer holds the fact. */
  readonly observed: string | null;
  isIn(fact: Fact): boolean;
}

/** One origin per field that a fact has assigned; other fields have no value and no origin. */
export function originsOf(table: MirrorTable, row: Row): readonly Origin[] {
  return [...fieldOrigins(table, row), ...noShowOrigin(row), ...answerOrigin(row), ...deleteOrigin(row)];
}

function fieldOrigins(table: MirrorTable, row: Row): readonly Origin[] {
  return Object.keys(fieldsOf[table]).flatMap((field) => {
    const version = fieldVersions(row)(field);
    if (version === '') return [];
    const isIn = ({ assignments }: Fact): boolean =>
      assignments.some(
        (each) =>
          each.table === table &&
          each.uri === row['uri'] &&
          each.version === version &&
          Object.hasOwn(each.fields, field),
      );
    return [
      { columns: Object.keys(columnsOfField(fieldsOf[table], field, null)), observed: observedIn(version), isIn },
    ];
  });
}

function noShowOrigin(row: Row): readonly Origin[] {
  const decisive = decisiveFact(factsOf(row['no_show_facts'] ?? null));
  if (decisive === undefined) return [];
  const isIn = ({ subject, noShow }: Fact): boolean =>
    subject.uri === row['uri'] && noShow !== undefined && nameOf(noShow) === decisive.name;
  return [{ columns: ['no_show', 'no_show_uri', 'no_show_at'], observed: decisive.at, isIn }];
}

function answerOrigin(row: Row): readonly Origin[] {
  const { answer } = factsOf(row['no_show_facts'] ?? null);
  if (answer === undefined) return [];
  const isIn = ({ noShow }: Fact): boolean => noShow?.kind === 'answer' && noShow.answer.entry === answer.entry;
  return [{ columns: answerColumns, observed: answer.at, isIn }];
}

const answerColumns = ['attendance_confirmed_at', 'attendance_confirmed_by', 'attendance_entry'];

function deleteOrigin(row: Row): readonly Origin[] {
  if ((row['deleted_source'] ?? null) === null) return [];
  const isIn = ({ tombstone }: Fact): boolean =>
    tombstone?.uri === row['uri'] &&
    tombstone?.deletedAt === row['deleted_at'] &&
    tombstone?.source === row['deleted_source'];
  return [{ columns: ['deleted_at', 'deleted_source'], observed: null, isIn }];
}

const isWon =
  (row: Row, { version }: Assignment) =>
  (field: string): boolean =>
    fieldVersions(row)(field) === version;

/** Also when it decided no field: the version and the time of the row are those of the newest fact. */
const isNewest = (row: Row, { version }: Assignment): boolean => row['version'] === version;

/** Whether the no-show state is derived from this fact: the earliest reports of a mark, every unmark, and the newest snapshot count. */
function counts({ marks, unmarks, snapshot, removals, answer }: NoShowFacts, fact: NoShowFact): boolean {
  if (fact.kind === 'unmark') return unmarks.includes(fact.at);
  if (fact.kind === 'snapshot') return snapshot?.at === fact.at && snapshot.order === fact.order;
  if (fact.kind === 'removal') return removals?.[fact.uri] === fact.at;
  if (fact.kind === 'answer') return answer?.entry === fact.answer.entry;
  const known = Object.hasOwn(marks, fact.mark.uri) ? marks[fact.mark.uri] : undefined;
  return known?.at === fact.at || known?.created_at === fact.mark.created_at;
}

interface NoShowFactName {
  readonly at: string;
  readonly name: string;
}

const nameOf = (fact: NoShowFact): string => {
  if (fact.kind === 'unmark') return `unmark ${fact.at}`;
  if (fact.kind === 'removal') return `removal ${fact.at} ${fact.uri}`;
  if (fact.kind === 'answer') return `answer ${fact.answer.entry}`;
  return fact.kind === 'snapshot' ? `snapshot ${fact.at} ${fact.order}` : `mark ${fact.at} ${fact.mark.uri}`;
};

/** The fact since which the state is what it is; where it never changed, the newest fact that confirms it. */
function decisiveFact(facts: NoShowFacts): NoShowFactName | undefined {
  const { marks, unmarks, snapshot, removals = {} } = facts;
  const times = [...Object.values(marks).map(({ at }) => at), ...unmarks, ...Object.values(removals)];
  const instants = [...new Set([...times, snapshot?.at ?? []].flat())];
  const now = openIn(facts);
  const rising = instants.sort();
  // The latest instant before which the state was different: since then it has been what it is.
  const since =
    rising.findLast((_, index) => openIn(factsUntil(facts, rising[index - 1] ?? '')) !== now) ?? rising.at(-1);
  if (since === undefined) return undefined;
  const named = (name: string): NoShowFactName => ({ at: since, name });
  if (now !== null && Object.hasOwn(marks, now) && marks[now]?.at === since) return named(`mark ${since} ${now}`);
  if (now === null && unmarks.includes(since)) return named(`unmark ${since}`);
  const [removed] = Object.entries(removals).find(([, at]) => at === since) ?? [];
  if (now === null && removed !== undefined) return named(`removal ${since} ${removed}`);
  if (snapshot?.at === since) return named(`snapshot ${since} ${snapshot.order}`);
  const [mark] = Object.entries(marks).find(([, { at }]) => at === since) ?? [];
  return mark === undefined ? named(`unmark ${since}`) : named(`mark ${since} ${mark}`);
}

function openIn(facts: NoShowFacts): string | null {
  const last = noShowPeriods(facts).at(-1);
  return last && last.unmarked_at === null ? last.uri : null;
}

function factsUntil({ marks, unmarks, snapshot, removals = {} }: NoShowFacts, moment: string): NoShowFacts {
  return {
    marks: Object.fromEntries(Object.entries(marks).filter(([, { at }]) => at <= moment)),
    unmarks: unmarks.filter((at) => at <= moment),
    snapshot: snapshot && snapshot.at <= moment ? snapshot : null,
    removals: Object.fromEntries(Object.entries(removals).filter(([, at]) => at <= moment)),
  };
}
