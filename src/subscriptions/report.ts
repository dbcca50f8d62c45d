// What bootstrap plans and what it did, as JSON: for `bootstrap --json` and for the API.
import { isComplete, type ApplyResult, type StepResult } from './apply.ts';
import type { Inspection } from './bootstrap.ts';
import {
  describeError,
  describeFamilies,
  describeResult,
  describeStep,
  familiesOf,
  type DescribedStep,
} from './describe.ts';
import { isPending, type Step } from './plan.ts';
import type { Refusal } from './register.ts';

export interface BootstrapReport {
  readonly situation: Inspection;
  readonly applied: ApplyResult;
  readonly notes: readonly string[];
}

export function planAsJson({ account, input, steps }: Inspection, notes: readonly string[]) {
  return {
    ...account,
    callback: input.callback,
    pending: steps.some(isPending),
    summary: countSteps(steps),
    steps: steps.map((step) => ({
      ...flat(describeStep(step)),
      ...('url' in step && { url: step.url }),
      ...('existing' in step && { uri: step.existing.uri }),
    })),
    notes,
  };
}

export function appliedAsJson({ situation: { account, input }, applied, notes }: BootstrapReport) {
  return {
    ...account,
    callback: input.callback,
    complete: isComplete(applied),
    summary: countResults(applied.results),
    results: applied.results.map((result) => ({
      ...flat(describeResult(result)),
      ...('subscription' in result && { uri: result.subscription.uri }),
    })),
    missing: applied.results.flatMap(missingIn),
    notes,
  };
}

function missingIn(result: StepResult) {
  if (result.kind !== 'refused' && result.kind !== 'failed') return [];
  const { family, events, optional } = result.kind === 'refused' ? result.refusal.desired : result.desired;
  const { kind: cause, ...details } =
    result.kind === 'refused'
      ? result.refusal.cause
      : ({ kind: 'failed', message: describeError(result.error) } as const);
  return [{ family, events, optional, cause, ...details, missing: describeFamilies(events) }];
}

const flat = ({ action, owner, events, why }: DescribedStep) => ({
  action,
  families: familiesOf(events),
  scope: owner.scope,
  owner: owner.uri,
  events,
  ...(why !== undefined && { why }),
});

export const refusalsIn = (results: readonly StepResult[]): readonly Refusal[] =>
  results.flatMap((result) => (result.kind === 'refused' ? [result.refusal] : []));

export function countSteps(steps: readonly Step[]): Readonly<Record<Step['kind'], number>> {
  return count(steps, { create: 0, delete: 0, keep: 0, refused: 0, leftover: 0 });
}

export function countResults(results: readonly StepResult[]): Readonly<Record<StepResult['kind'], number>> {
  return count(results, {
    created: 0,
    found: 0,
    unchanged: 0,
    deleted: 0,
    refused: 0,
    failed: 0,
    retained: 0,
    undeletable: 0,
  });
}

function count<Kind extends string>(
  all: readonly { readonly kind: Kind }[],
  zero: Readonly<Record<Kind, number>>,
): Readonly<Record<Kind, number>> {
  const counts: Record<Kind, number> = { ...zero };
  for (const { kind } of all) counts[kind] += 1;
  return counts;
}
