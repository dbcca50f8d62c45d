// The output of `bootstrap` as text: the plan in the style of Terraform, what was done, and what will be missing.
import { noteMark } from '#src/subscriptions/advisories.ts';
import { isComplete, type ApplyResult, type StepResult } from '#src/subscriptions/apply.ts';
import type { Inspection } from '#src/subscriptions/bootstrap.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { countResults, countSteps, refusalsIn, type BootstrapReport } from '#src/subscriptions/report.ts';
import { isAcceptable } from '#src/subscriptions/register.ts';
import {
  describeResult,
  describeEvents,
  describeFamilies,
  describeOwner,
  describeRefusals,
  describeStep,
  describeUnsupported,
} from '#src/subscriptions/describe.ts';
import type { DescribedStep, RefusalText } from '#src/subscriptions/describe.ts';
import { renderTable } from './terminal.ts';

export function planAsText({ account, input, steps }: Inspection, notes: readonly string[]): string {
  const counts = countSteps(steps);
  const isNothing = !steps.some(isPending);
  const unsupported = steps.flatMap((step) => (step.kind === 'refused' ? step.desired.events : []));
  const summary = isNothing
    ? input.remove === true
      ? 'Nothing to do: no subscription calls this callback.'
      : `Nothing to do: ${counts.keep} subscription${counts.keep === 1 ? ' is' : 's are'} up to date.`
    : `Plan: ${counts.create} to create, ${counts.delete} to delete, ${counts.keep} to keep.`;
  return paragraphs([
    heading(account.organization, input.callback),
    lines(steps.filter((step) => step.kind !== 'refused' && 'desired' in step).map(describeStep)),
    endLines(steps.filter((step) => !('desired' in step)).map(describeStep)),
    unsupported.length > 0 ? describeUnsupported(unsupported) : '',
    summary,
    noted(notes),
  ]);
}

export function appliedAsText({ situation, applied, notes }: BootstrapReport): string {
  const { account, input } = situation;
  const { results } = applied;
  const refusals = refusalsIn(results);
  const unsupported = refusals.filter(isAcceptable).flatMap(({ desired }) => desired.events);
  const isShown = (result: StepResult) => result.kind !== 'refused' || !isAcceptable(result.refusal);
  const isOfDesired = (result: StepResult) => 'desired' in result || 'refusal' in result;
  return paragraphs([
    heading(account.organization, input.callback),
    lines(results.filter((result) => isShown(result) && isOfDesired(result)).map(describeResult)),
    endLines(results.filter((result) => !isOfDesired(result)).map(describeResult)),
    describeRefusals(refusals.filter((refusal) => !isAcceptable(refusal)))
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

/** One line for each family. */
function lines(all: readonly DescribedStep[]): string {
  return aligned(
    all.map((step) => [actionOf(step), describeFamilies(step.events), describeEvents(step.events), ownerOf(step)]),
  );
}

/** Old ones may be of several families. */
function endLines(all: readonly DescribedStep[]): string {
  return aligned(all.map((step) => [actionOf(step), describeEvents(step.events), ownerOf(step)]));
}

const actionOf = ({ mark, action }: DescribedStep): string => `  ${mark} ${action}`;
const ownerOf = ({ owner, why }: DescribedStep): string =>
  `${describeOwner(owner)}${why === undefined ? '' : `  (${why})`}`;

function aligned([first, ...rest]: readonly (readonly string[])[]): string {
  return first === undefined ? '' : renderTable(first, rest);
}

const refusalLines = ([what, meaning, remedy]: RefusalText): string => `! ${what}\n  ${meaning}\n  → ${remedy}`;

function doneInWords(applied: ApplyResult): string {
  const counts = countResults(applied.results);
  const notOffered = refusalsIn(applied.results).filter(isAcceptable).length;
  const named: Readonly<Record<string, number>> = {
    created: counts.created,
    deleted: counts.deleted,
    unchanged: counts.unchanged + counts.found,
    'not offered by the service': notOffered,
  };
  const some = Object.entries(named).filter(([, count]) => count > 0);
  const done = some.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing changed';
  if (applied.isStopped) return `Stopped before the end. Done so far: ${done}. The next run continues from there.`;
  if (isComplete(applied)) return `${counts.created + counts.deleted > 0 ? 'Done' : 'Nothing to do'}: ${done}.`;
  const missing = applied.results.flatMap((result): readonly string[] => {
    if (result.kind === 'refused') return isAcceptable(result.refusal) ? [] : result.refusal.desired.events;
    return result.kind === 'failed' ? result.desired.events : [];
  });
  return [
    `Not complete: ${done}.`,
    ...(missing.length > 0 ? [`Not registered: ${describeFamilies(missing)}.`] : []),
    ...(applied.failure ? ['The next run tries again.'] : []),
  ].join(' ');
}

const noted = (notes: readonly string[]): string =>
  notes.map((note) => (note.startsWith(noteMark) ? note : `! ${note}`)).join('\n');
const paragraphs = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
