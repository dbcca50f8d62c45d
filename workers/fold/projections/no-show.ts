// Whether an invitee is a no-show, derived from all facts about it, in any order.
//
//   marks    each identified by its URI, at the time of the earliest envelope that reported it
//   unmarks  the envelope times of `invitee_no_show.deleted` (the removed mark's URI is not sent)
//   snapshot the newest payload that had `no_show`: an object means marked, null means not marked
//   removals the marks that we removed at the service, which are known by their URI: such a mark never opens again
//   answer   the newest answer of an operator or a host that the invitee came; an open mark takes precedence over it
//
// The snapshot settles the state at its moment; marks and unmarks at or after it follow in time order. Within one
// instant they alternate, beginning with whichever the state allows: time on the wire is often whole seconds.
import type { Json } from '#src/store/columns.ts';
import type { Answer, Mark, NoShowFact } from './contract.ts';

export type NoShowFacts = {
  readonly marks: { readonly [uri: string]: { readonly at: string; readonly created_at: string } };
  readonly unmarks: readonly string[];
  readonly snapshot: { readonly at: string; readonly order: string; readonly mark: Mark | null } | null;
  /** When each was removed. Absent in most rows, as `answer` is. */
  readonly removals?: { readonly [uri: string]: string };
  readonly answer?: Answer;
};

export interface NoShowPeriod {
  readonly uri: string;
  readonly marked_at: string;
  readonly unmarked_at: string | null;
}

const noFacts: NoShowFacts = { marks: {}, unmarks: [], snapshot: null };

export function factsOf(stored: Json): NoShowFacts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `merge.ts` writes the column, with this type
  return stored === null ? noFacts : (stored as NoShowFacts);
}

/** Adds a fact; the same object comes back when it adds nothing. Commutative, associative, idempotent. */
export function addNoShowFact(facts: NoShowFacts, fact: NoShowFact): NoShowFacts {
  if (fact.kind === 'unmark') {
    return facts.unmarks.includes(fact.at) ? facts : { ...facts, unmarks: [...facts.unmarks, fact.at].sort() };
  }
  if (fact.kind === 'snapshot') {
    const { at, order, mark } = fact;
    const newer = facts.snapshot === null || `${at}${order}` > `${facts.snapshot.at}${facts.snapshot.order}`;
    return newer ? { ...facts, snapshot: { at, order, mark } } : facts;
  }
  if (fact.kind === 'removal') {
    const { removals = {} } = facts;
    const known = Object.hasOwn(removals, fact.uri) ? removals[fact.uri] : undefined;
    if (known !== undefined && known <= fact.at) return facts;
    return { ...facts, removals: { ...removals, [fact.uri]: fact.at } };
  }
  if (fact.kind === 'answer') {
    const { answer } = fact;
    return facts.answer === undefined || orderOf(answer) > orderOf(facts.answer) ? { ...facts, answer } : facts;
  }
  const known = Object.hasOwn(facts.marks, fact.mark.uri) ? facts.marks[fact.mark.uri] : undefined;
  const at = known && known.at <= fact.at ? known.at : fact.at;
  const created_at = known && known.created_at <= fact.mark.created_at ? known.created_at : fact.mark.created_at;
  if (known?.at === at && known.created_at === created_at) return facts;
  return { ...facts, marks: { ...facts.marks, [fact.mark.uri]: { at, created_at } } };
}

const orderOf = ({ at, entry }: Answer): string => `${at}${entry}`;

/** The same snapshot at a later time, where there is no other fact: no period changes. Undefined where more may change. */
export function snapshotAgain(
  facts: NoShowFacts,
  { order, at }: { order: string; at: string },
): NoShowFacts | undefined {
  const { marks, unmarks, snapshot } = facts;
  const isAlone = Object.keys(marks).length === 0 && unmarks.length === 0;
  if (!isAlone || snapshot?.order !== order) return undefined;
  return { ...facts, snapshot: { ...snapshot, at } };
}

/** Every period in which the invitee was marked, in order; at most the last one is open. */
export function noShowPeriods(facts: NoShowFacts): readonly NoShowPeriod[] {
  const { removals = {} } = facts;
  return reportedPeriods(facts).map((period) =>
    period.unmarked_at === null && Object.hasOwn(removals, period.uri)
      ? { ...period, unmarked_at: removals[period.uri] ?? null }
      : period,
  );
}

function reportedPeriods({ marks, unmarks, snapshot }: NoShowFacts): readonly NoShowPeriod[] {
  const periods: { uri: string; marked_at: string; unmarked_at: string | null }[] = [];
  const open = () => periods.find((period) => period.unmarked_at === null);
  const close = (at: string) => {
    const period = open();
    if (period) period.unmarked_at = at;
  };
  const mark = ({ uri, created_at }: Mark, at: string) => {
    if (open()?.uri === uri) return;
    // A new mark while another is open: the unmark between them was lost.
    close(at);
    const index = periods.findIndex((period) => period.uri === uri);
    if (index >= 0) periods.splice(index, 1);
    periods.push({ uri, marked_at: created_at, unmarked_at: null });
  };
  const pass = (at: string) => {
    const marked = Object.entries(marks)
      .filter(([, known]) => known.at === at)
      .map(([uri, { created_at }]) => ({ uri, created_at }))
      .sort((a, b) => (`${a.created_at}${a.uri}` < `${b.created_at}${b.uri}` ? -1 : 1));
    const unmarked = unmarks.includes(at);
    if (unmarked && open()) {
      close(at);
      for (const each of marked) mark(each, at);
    } else {
      for (const [index, each] of marked.entries()) {
        mark(each, at);
        if (unmarked && index === 0) close(at);
      }
    }
  };

  const instants = [...new Set([...Object.values(marks).map((known) => known.at), ...unmarks])].sort();
  if (snapshot === null) {
    for (const at of instants) pass(at);
    return periods;
  }
  for (const at of instants) if (at < snapshot.at) pass(at);
  if (snapshot.mark) mark(snapshot.mark, snapshot.at);
  else close(snapshot.at);
  for (const at of instants) if (at >= snapshot.at) pass(at);
  return periods;
}
