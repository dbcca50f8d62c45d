// Whether an invitee is a no-show, from all facts about it at once: the newest snapshot, then what happened at or after it.
import { before, type Json, type NormalFact, type Record_ } from '../harness/data/normal-facts.ts';

type Mark = {
  readonly uri: string;
  readonly created_at: string;
};

/** Whose bodies tell how it stands at that moment, and who is believed first. */
const snapshotRanks: Record<string, number> = { 'invitee.read': 0, 'invitee.created': 1, 'invitee.canceled': 3 };

export function noShowOf(facts: readonly NormalFact[]): Record<string, Json> & { open: Mark | null } {
  const snapshots = facts
    .filter(({ event, payload }) => Object.hasOwn(snapshotRanks, event) && payload['no_show'] !== undefined)
    .map((fact) => ({ ...fact, order: [fact.observed, snapshotRanks[fact.event] ?? 0, fact.tie] }));
  const snapshot = snapshots.toSorted((a, b) => (before(a.order, b.order) ? -1 : 1)).at(-1);
  const unmarks = new Set(
    facts.filter(({ event }) => event === 'invitee_no_show.deleted').map(({ observed }) => observed),
  );
  const marks = marksOf(facts.filter(({ event }) => event === 'invitee_no_show.created'));

  const since = snapshot?.observed ?? '';
  let open: Mark | null = snapshot?.payload['no_show'] ? markOf(snapshot) : null;
  // A mark that the snapshot repeats is the one sent earlier.
  const sent = open && marks.get(open.uri);
  if (open && sent && sent.at < since) open = { uri: open.uri, created_at: sent.created_at };
  for (const at of [...new Set([...unmarks, ...[...marks.values()].map((mark) => mark.at)])].toSorted()) {
    if (at < since) continue;
    const now = [...marks].filter(([, mark]) => mark.at === at).map(([uri, { created_at }]) => ({ uri, created_at }));
    const steps: (Mark | null)[] = now.toSorted((a, b) =>
      before([a.created_at, a.uri], [b.created_at, b.uri]) ? -1 : 1,
    );
    if (unmarks.has(at)) steps.splice(open ? 0 : 1, 0, null);
    for (const step of steps) if (step === null || open?.uri !== step.uri) open = step;
  }
  const columns = { no_show_uri: open?.uri ?? null, no_show_at: open?.created_at ?? null };
  return { no_show: open as Json, ...columns, open };
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
