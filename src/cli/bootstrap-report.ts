// The output of `bootstrap`: the plan in the style of Terraform, what was done, and what will be missing; as text or JSON.
import type { Applied, StepResult } from '#src/subscriptions/apply.ts';
import { isComplete } from '#src/subscriptions/apply.ts';
import type { Inspection } from '#src/subscriptions/bootstrap.ts';
import { isPending, type Step } from '#src/subscriptions/plan.ts';
import { isAcceptable, type Refusal } from '#src/subscriptions/register.ts';
import {
  describeResult,
  describeEvents,
  describeMissingData,
  describeOwner,
  describeRefusal,
  describeStep,
  describeUnsupported,
} from '#src/subscriptions/describe.ts';
import type { DescribedStep } from '#src/subscriptions/describe.ts';
import { renderTable } from './terminal.ts';

export interface BootstrapReport {
  readonly situation: Inspection;
  readonly applied: Applied;
  readonly notes: readonly string[];
}

export function planAsText({ account, input, steps }: Inspection, notes: readonly string[]): string {
  const counts = countSteps(steps);
  const isNothing = !steps.some(isPending);
  const unsupported = steps.flatMap((step) => (step.kind === 'refused' ? step.desired.events : []));
  const summary = isNothing
    ? input.remove === true
      ? 'Nothing to do: no subscription calls this callback.'
      : `Nothing to do: ${counts.keep} subscription${counts.keep === 1 ? ' is' : 's are'} up to date.`
    : `Plan: ${counts.create} to create, ${counts.replace} to replace, ${counts.delete} to delete, ${counts.keep} to keep.`;
  return paragraphs([
    heading(account.organization, input.callback),
    lines(steps.filter(({ kind }) => kind !== 'refused').map(describeStep)),
    unsupported.length > 0 ? describeUnsupported(unsupported) : '',
    summary,
    noted(notes),
  ]);
}

export function appliedAsText({ situation, applied, notes }: BootstrapReport): string {
  const { account, input } = situation;
  const refusals = refusalsIn(applied.results);
  const unsupported = refusals.filter(isAcceptable).flatMap(({ events }) => events);
  const isShown = (result: StepResult) => result.kind !== 'refused' || !isAcceptable(result.refusal);
  return paragraphs([
    heading(account.organization, input.callback),
    lines(applied.results.filter(isShown).map(describeResult)),
    refusals
      .filter((refusal) => !isAcceptable(refusal))
      .map(refusalLines)
      .join('\n'),
    unsupported.length > 0 ? describeUnsupported(unsupported) : '',
    doneInWords(applied),
    noted(notes),
  ]);
}

function heading(organization: string, callback: string): string {
  return renderTable(['organization', organization], [['callback', `${callback}?s=…`]]);
}

function lines(all: readonly DescribedStep[]): string {
  if (all.length === 0) return '';
  const rows = all.map(({ mark, action, owner, events, why }) => [
    `  ${mark} ${action}`,
    describeOwner(owner),
    `${describeEvents(events)}${why === undefined ? '' : `  (${why})`}`,
  ]);
  const [first = [], ...rest] = rows;
  return renderTable(first, rest);
}

function refusalLines(refusal: Refusal): string {
  const [what, meaning, remedy] = describeRefusal(refusal);
  return `! ${what}\n  ${meaning}\n  → ${remedy}`;
}

function doneInWords(applied: Applied): string {
  const counts = countDeeds(applied.results);
  const done = `${counts.created} created, ${counts.deleted} deleted, ${counts.unchanged + counts.found} unchanged`;
  if (applied.failure) return `Stopped before the end. Done so far: ${done}. The next run continues from there.`;
  if (counts.created + counts.deleted > 0) return `Done: ${done}.`;
  return isComplete(applied) ? `Nothing to do: ${done}.` : `Nothing could be changed: ${done}.`;
}

const noted = (notes: readonly string[]): string => notes.map((note) => `! ${note}`).join('\n');
const paragraphs = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

export function planAsJson({ account, input, steps }: Inspection, notes: readonly string[]): object {
  return {
    ...account,
    callback: input.callback,
    pending: steps.some(isPending),
    summary: countSteps(steps),
    steps: steps.map((step) => ({
      ...flat(describeStep(step)),
      ...('url' in step && { url: step.url }),
      ...('existing' in step && { uri: step.existing.uri }),
      ...('replaces' in step && { replaces: step.replaces.map(({ existing }) => existing.uri) }),
    })),
    notes,
  };
}

export function appliedAsJson({ situation: { account, input }, applied, notes }: BootstrapReport): object {
  return {
    ...account,
    callback: input.callback,
    complete: isComplete(applied),
    summary: countDeeds(applied.results),
    deeds: applied.results.map((deed) => ({
      ...flat(describeResult(deed)),
      ...('subscription' in deed && { uri: deed.subscription.uri }),
    })),
    missing: refusalsIn(applied.results).map(({ desired, events, cause }) => ({
      events,
      optional: desired.optional,
      cause: cause.kind,
      ...('scopes' in cause && { scopes: cause.scopes }),
      ...('message' in cause && { message: cause.message }),
      missing: describeMissingData(events),
    })),
    notes,
  };
}

const flat = ({ action, owner, events, why }: DescribedStep): object => ({
  action,
  scope: owner.scope,
  owner: owner.uri,
  events,
  ...(why !== undefined && { why }),
});

const refusalsIn = (deeds: readonly StepResult[]): readonly Refusal[] =>
  deeds.flatMap((deed) => (deed.kind === 'refused' ? [deed.refusal] : []));

function countSteps(steps: readonly Step[]): Readonly<Record<Step['kind'], number>> {
  return count(steps, { create: 0, replace: 0, delete: 0, keep: 0, refused: 0, leftover: 0 });
}

function countDeeds(deeds: readonly StepResult[]): Readonly<Record<StepResult['kind'], number>> {
  return count(deeds, { created: 0, found: 0, unchanged: 0, deleted: 0, refused: 0, spared: 0, undeletable: 0 });
}

function count<Kind extends string>(
  all: readonly { readonly kind: Kind }[],
  zero: Readonly<Record<Kind, number>>,
): Readonly<Record<Kind, number>> {
  const counts: Record<Kind, number> = { ...zero };
  for (const { kind } of all) counts[kind] += 1;
  return counts;
}
