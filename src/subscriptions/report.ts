// The report of bootstrap, on what it plans or on what it did: `bootstrap` prints it as JSON or as text, the dashboard shows it.
import { counted } from '#src/base/number-text.ts';
import { isComplete, type ApplyResult, type StepResult } from './apply.ts';
import type { Inspection } from './bootstrap.ts';
import { describeFamilies, describeRefusals, describeResult, describeStep, type StepReport } from './describe.ts';
import type { Account } from './list-existing.ts';
import { isPending } from './plan.ts';
import { isAcceptable, type Refusal } from './register.ts';

export interface BootstrapReport extends Account {
  readonly callback: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly conclusion: string;
  readonly steps: readonly StepReport[];
  readonly notes: readonly string[];
}

export function reportPlan(
  { account, input, steps }: Inspection,
  notes: readonly string[],
): BootstrapReport & { readonly pending: boolean } {
  const pending = steps.some(isPending);
  const summary = count(steps, { create: 0, delete: 0, keep: 0, refused: 0, leftover: 0 });
  const conclusion = pending
    ? `Plan: ${toCreate(steps)}, ${summary.delete} to delete, ${summary.keep} to keep.`
    : input.remove === true
      ? 'Nothing to do: no subscription calls this callback.'
      : `Nothing to do: ${counted(summary.keep, 'subscription is', 'subscriptions are')} up to date.`;
  return { ...account, callback: input.callback, pending, summary, conclusion, steps: steps.map(describeStep), notes };
}

/** What the service may not offer is counted apart: the run counts it as created, or as not offered. */
function toCreate(steps: Inspection['steps']): string {
  const creating = steps.flatMap((step) => (step.kind === 'create' ? [step.desired] : []));
  const optional = creating.filter((desired) => desired.optional).length;
  const certain = `${creating.length - optional} to create`;
  return optional === 0 ? certain : `${certain}, ${optional} if the service offers it`;
}

export function reportApplied(
  { account, input }: Inspection,
  applied: ApplyResult,
  notes: readonly string[],
): BootstrapReport & { readonly complete: boolean } {
  const { results } = applied;
  const summary = countResults(results);
  return {
    ...account,
    callback: input.callback,
    complete: isComplete(applied),
    summary,
    conclusion: conclude(applied, summary),
    steps: results.map(describeResult),
    notes: [...describeRefusals(refusalsIn(results).filter((refusal) => !isAcceptable(refusal))), ...notes],
  };
}

function conclude(applied: ApplyResult, summary: ReturnType<typeof countResults>): string {
  const { results, failure, isStopped } = applied;
  const named: Readonly<Record<string, number>> = {
    created: summary.created,
    deleted: summary.deleted,
    unchanged: summary.unchanged + summary.found,
    'not offered by the service': refusalsIn(results).filter(isAcceptable).length,
  };
  const some = Object.entries(named).filter(([, count]) => count > 0);
  const done = some.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing changed';
  if (isStopped) return `Stopped before the end. Done so far: ${done}. The next run continues from there.`;
  if (isComplete(applied)) return `${summary.created + summary.deleted > 0 ? 'Done' : 'Nothing to do'}: ${done}.`;
  const missing = results.flatMap((result): readonly string[] => {
    if (result.kind === 'refused') return isAcceptable(result.refusal) ? [] : result.refusal.desired.events;
    return result.kind === 'failed' ? result.desired.events : [];
  });
  return [
    `Not complete: ${done}.`,
    ...(missing.length > 0 ? [`Not registered: ${describeFamilies(missing)}.`] : []),
    ...(failure ? ['The next run tries again.'] : []),
  ].join(' ');
}

export const refusalsIn = (results: readonly StepResult[]): readonly Refusal[] =>
  results.flatMap((result) => (result.kind === 'refused' ? [result.refusal] : []));

const noResults = {
  created: 0,
  found: 0,
  unchanged: 0,
  deleted: 0,
  refused: 0,
  failed: 0,
  retained: 0,
  undeletable: 0,
};
const countResults = (results: readonly StepResult[]) => count(results, noResults);

function count<Kind extends string>(
  all: readonly { readonly kind: Kind }[],
  zero: Readonly<Record<Kind, number>>,
): Readonly<Record<Kind, number>> {
  const counts: Record<Kind, number> = { ...zero };
  for (const { kind } of all) counts[kind] += 1;
  return counts;
}
