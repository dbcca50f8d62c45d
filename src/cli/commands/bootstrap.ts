// `bootstrap`: creates the webhook subscriptions that EVENTS requires, or deletes them with `--remove`; `--plan` shows the changes
// without making them.
import { register, unregister, type RegistrationNeeds } from '#src/app/registration.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { noteMark } from '#src/subscriptions/advisories.ts';
import { describeEvents, describeFamilies, describeOwner } from '#src/subscriptions/describe.ts';
import type { BootstrapReport } from '#src/subscriptions/report.ts';
import { printPauses } from '#src/cli/backfill-progress.ts';
import { alignColumns, renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, unlessStopped, type ValuesOf, type VerbContext } from '#src/cli/verb.ts';

const options = {
  plan: {
    flags: '--plan',
    help: 'show the changes without making them; exit code 3 when there are any',
    reads: flag,
  },
  prune: { flags: '--prune', help: 'delete subscriptions of this callback that are no longer needed', reads: flag },
  rotateKey: {
    flags: '--rotate-key',
    help: 'register with a new signing key; deliveries signed with the old key are still accepted',
    reads: flag,
  },
  remove: {
    flags: '--remove',
    help: 'delete every subscription that calls PUBLIC_URL/webhooks, to uninstall; stop the mirror first',
    reads: flag,
  },
  anyway: {
    flags: '--anyway',
    help: 'register also when nothing answers at PUBLIC_URL from here, or a receiver that cannot prove that it is yours because it verifies nothing',
    reads: flag,
  },
  json: asJson,
} as const;

export const bootstrap = defineVerb({
  examples: [
    'slotstream bootstrap --plan',
    'slotstream bootstrap',
    'slotstream bootstrap --rotate-key',
    'slotstream bootstrap --remove --plan',
  ],
  arguments: {},
  options,
  run: (context, input) =>
    unlessStopped(context, (signal) => change(context, input, signal), {
      line: input.remove
        ? 'Stopped. The next run deletes the rest.'
        : input.plan
          ? 'Stopped. A plan changes nothing.'
          : 'Stopped. Subscriptions created so far remain; the next run continues from there.',
      exitCode: 1,
    }),
});

async function change(
  context: VerbContext,
  { remove, json, ...how }: ValuesOf<typeof options>,
  signal: AbortSignal,
): Promise<0 | 3> {
  if (remove && (how.prune || how.rotateKey || how.anyway))
    throw new SlotstreamError('usage', '--remove cannot be combined with --prune, --rotate-key or --anyway.', {
      hint: `${slotstream} bootstrap --remove --plan shows what it would delete.`,
    });
  const { log, now } = context;
  const onPause = printPauses(context).note;
  const needs: RegistrationNeeds = { config: context.config(), log, now, signal, onPause };
  const { report, isDesired, failure } = await (remove ? unregister : register)(needs, how);
  print(context, report, json);
  if (failure !== undefined) throw failure;
  return isDesired ? 0 : 3;
}

function print({ out }: VerbContext, report: BootstrapReport, json: boolean): void {
  if (json) return out(JSON.stringify(report));
  const lines = report.steps.map(({ mark, action, events, scope, owner, why }) => [
    `  ${mark} ${action}`,
    describeFamilies(events),
    describeEvents(events),
    `${describeOwner({ scope, uri: owner })}${why === undefined ? '' : `  (${why})`}`,
  ]);
  const notes = report.notes.map((note) => (note.startsWith(noteMark) ? note : `! ${note.replaceAll('\n', '\n  ')}`));
  const paragraphs = [
    renderTable(['organization', report.organization], [['callback', `${report.callback}?s=…`]]),
    alignColumns(lines).join('\n'),
    report.conclusion,
    notes.join('\n'),
  ];
  out(paragraphs.filter((text) => text !== '').join('\n\n'));
}
