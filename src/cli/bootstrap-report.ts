// The output of `bootstrap` as text: the plan in the style of Terraform, what was done, and what will be missing.
import type { Applied, StepResult } from '#src/subscriptions/apply.ts';
import { isComplete } from '#src/subscriptions/apply.ts';
import type { Inspection } from '#src/subscriptions/bootstrap.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { countDeeds, countSteps, refusalsIn, type BootstrapReport } from '#src/subscriptions/report.ts';
import { isAcceptable, type Refusal } from '#src/subscriptions/register.ts';
import {
  describeResult,
  describeEvents,
  describeOwner,
  describeRefusal,
  describeStep,
  describeUnsupported,
} from '#src/subscriptions/describe.ts';
import type { DescribedStep } from '#src/subscriptions/describe.ts';
import { renderTable } from './terminal.ts';

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
