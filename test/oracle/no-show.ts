// Whether an invitee is a no-show, from all facts about it at once: the newest snapshot, then what happened at or after it.
import { before, type NormalFact, type Record_ } from '../harness/data/normal-facts.ts';

type Mark = {
  readonly uri: string;
  readonly created_at: string;
};

/** Whose bodies tell how it stands at that moment, and who is believed first. */
const snapshotRanks: Record<string, number> = { 'invitee.read': 0, 'invitee.created': 1, 'invitee.canceled': 3 };

export interface NoShow {
  readonly open: Mark | null;
  /** Marks that were removed, or replaced, and when. */
  readonly closed: readonly (Mark & { readonly unmarked_at: string })[];
}

export function noShowOf(facts: readonly NormalFact[]): NoShow {
  const snapshots = facts
    .filter(({ event, payload }) => Object.hasOwn(snapshotRanks, event) && payload['no_show'] !== undefined)
    .map((fact) => ({ ...fact, order: [fact.observed, snapshotRanks[fact.event] ?? 0, fact.tie] }));
  const snapshot = snapshots.toSorted((a, b) => (before(a.order, b.order) ? -1 : 1)).at(-1);
  const unmarks = new Set(
    facts.filter(({ event }) => event === 'invitee_no_show.deleted').map(({ observed }) => observed),
  );
  const marks = marksOf(facts.filter(({ event }) => event === 'invitee_no_show.created'));

  const now: { open: Mark | null } = { open: null };
  const closed = new Map<string, Mark & { unmarked_at: string }>();
  const become = (next: Mark | null, at: string): void => {
    if (next !== null && now.open?.uri === next.uri) return;
    if (now.open) closed.set(now.open.uri, { ...now.open, unmarked_at: at });
    if (next) closed.delete(next.uri);
    now.open = next;
  };
  const since = snapshot?.observed ?? '';
  const settle = (): void => {
    const mark = snapshot?.payload['no_show'] ? markOf(snapshot) : null;
    // A mark that the snapshot repeats is the one sent earlier.
    const sent = mark && marks.get(mark.uri);
    become(mark && sent && sent.at < since ? { uri: mark.uri, created_at: sent.created_at } : mark, since);
  };
  const instants = [...new Set([...unmarks, ...[...marks.values()].map((mark) => mark.at)])].toSorted();
  const pass = (at: string): void => {
    const marked = [...marks]
      .filter(([, mark]) => mark.at === at)
      .map(([uri, { created_at }]) => ({ uri, created_at }));
    const steps: (Mark | null)[] = marked.toSorted((a, b) =>
      before([a.created_at, a.uri], [b.created_at, b.uri]) ? -1 : 1,
    );
    if (unmarks.has(at)) steps.splice(now.open ? 0 : 1, 0, null);
    for (const step of steps) become(step, at);
  };
  for (const at of instants) if (at < since) pass(at);
  if (snapshot) settle();
  for (const at of instants) if (at >= since) pass(at);
  return { open: now.open, closed: [...closed.values()] };
}

function marksOf(facts: readonly NormalFact[]): Map<string, { at: string; created_at: string }> {
  const marks = new Map<string, { at: string; created_at: string }>();
  for (const fact of facts) {
    const { uri, created_at } = markOf(fact);
    const known = marks.get(uri) ?? { at: fact.observed, created_at };
    marks.set(uri, { at: least(known.at, fact.observed), created_at: least(known.created_at, created_at) });
  }
  return marks;
}

function markOf({ payload, observed }: NormalFact): Mark {
  const mark = payload['no_show'] as Record_ | null | undefined;
  if (!mark) return { uri: `${String(payload['uri'])}#no-show-${observed}`, created_at: observed };
  return { uri: String(mark['uri']), created_at: String(mark['created_at'] ?? observed) };
}

const least = (a: string, b: string) => (a < b ? a : b);
