// `reconcile`: compares the mirror with the service, names every row that differs, and repairs it when told to.
import { lookAfterSubscriptions, lookAtSubscriptions } from '#src/app/subscriptions.ts';
import { openStoreLoudly } from '#src/app.ts';
import { isPending } from '#src/bootstrap/plan.ts';
import type { Config } from '#src/config.ts';
import { SlotstreamError } from '#src/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { patiences } from '#src/upstream/patience.ts';
import { countLines, totalOf, type Drift } from '#workers/sync/drift.ts';
import type { HeldBack } from '#workers/sync/reconcile-gone.ts';
import { reconcile as compare, type ReconcileReport } from '#workers/sync/reconcile.ts';
import { openSources } from '#workers/sync/sources.ts';
import { progressOf } from './progress.ts';
import { asJson, defineVerb, flag, type VerbContext } from './verb.ts';

export const reconcile = defineVerb({
  name: 'reconcile',
  summary: 'compare the mirror with the service; name what is missing, extra or different, and repair it',
  examples: [
    'slotstream reconcile                  # what changed since the last run, and these weeks; exit 3 when it differs',
    'slotstream reconcile --full --repair  # everything, missed deletes too, and mend it',
  ],
  arguments: {},
  options: {
    full: { flags: '--full', help: 'compare everything, and find missed deletes', reads: flag },
    repair: { flags: '--repair', help: 'mend what differs; without it, nothing is written', reads: flag },
    allowDeletes: {
      flags: '--allow-deletes',
      help: 'also when many rows are gone from the service (more than 20, and more than a tenth)',
      reads: flag,
    },
    json: asJson,
  },
  async run(context, { full, repair, allowDeletes, json }) {
    const config = context.config();
    const signal = context.stopping();
    const sources = await openSources(config, {}, { patience: patiences.long, signal });
    await using store = await openStoreLoudly(config, context.log());
    const tell = progressOf(context, 'records compared');
    const read = new Map<string, number>();
    const report = await compare(
      {
        store,
        sources,
        options: { eraseOnDelete: config.eraseOnDelete },
        now: context.now,
        signal,
        onDrift: (drift) => context.out(json ? JSON.stringify(drift) : lineOf(drift)),
        onProgress(resource, rows) {
          read.set(resource, rows);
          tell([...read.values()].reduce((sum, each) => sum + each, 0));
        },
      },
      { scope: { kind: full ? 'full' : 'recent' }, events: config.events, repair, allowDeletes },
    );
    const subscriptions = await subscriptionsOf(context, { config, store, repair });
    if (json) context.out(JSON.stringify({ ...report, subscriptions }));
    else for (const line of summaryOf(report, subscriptions)) context.out(line);
    const isLeft = !repair && totalOf(report.drift) > 0;
    return isLeft || report.heldBack.length > 0 || subscriptions.pending > 0 ? 3 : 0;
  },
});

function lineOf({ how, kind, uri, fields }: Drift): string {
  return `${how} ${kind} ${uri}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`;
}

interface Subscriptions {
  /** Why they could not be compared; null when they were. */
  readonly problem: string | null;
  /** To be made, replaced or deleted still. */
  readonly pending: number;
  readonly recreated: number;
}

/** What was lost is made again by a repair; anything else is bootstrap's to do, when somebody asks for it. */
async function subscriptionsOf(
  { now, stopping }: VerbContext,
  { config, store, repair }: { readonly config: Config; readonly store: Store; readonly repair: boolean },
): Promise<Subscriptions> {
  const needs = { config, store, now, signal: stopping() };
  try {
    const recreated = repair ? (await lookAfterSubscriptions(needs)).recreated.length : 0;
    const { steps } = await lookAtSubscriptions(needs);
    return { problem: null, pending: steps.filter(isPending).length, recreated };
  } catch (error) {
    // What was compared before stays told.
    if (!(error instanceof SlotstreamError)) throw error;
    return { problem: error.message, pending: 0, recreated: 0 };
  }
}

function summaryOf(report: ReconcileReport, { problem, pending, recreated }: Subscriptions): readonly string[] {
  const { drift, read, kept, repaired, unreadable, heldBack } = report;
  const total = totalOf(drift);
  const verdict = total === 0 ? 'nothing differs' : `${total} ${repaired ? 'differed and were repaired' : 'differ'}`;
  return [
    `${read} records compared, ${verdict}.`,
    ...countLines(drift).map((line) => `  ${line}`),
    ...(kept > 0 ? [`! ${kept} could not be understood: npx slotstream replay --quarantined --dry-run`] : []),
    ...unreadable.map(({ what, error }) => `! ${what}: not compared. ${error.message} ${error.hint ?? ''}`.trimEnd()),
    ...heldBack.map(heldBackLine),
    ...(recreated > 0
      ? [`${recreated} lost ${recreated === 1 ? 'subscription was' : 'subscriptions were'} made again.`]
      : []),
    ...(problem === null ? [] : [`! subscriptions: not compared. ${problem}`]),
    ...(pending > 0 ? [`✗ subscriptions: ${pending} to do.`, '→ npx slotstream bootstrap --plan'] : []),
    ...(total > 0 && !repaired
      ? [`→ To mend it: npx slotstream reconcile ${report.scope === 'full' ? '--full ' : ''}--repair`]
      : []),
  ];
}

function heldBackLine({ kind, gone, of }: HeldBack): string {
  return `✗ ${kind}: at least ${gone} of ${of} are gone from the service; so many that none was deleted.\n→ Look at the service first. If it is right: npx slotstream reconcile --full --repair --allow-deletes`;
}
