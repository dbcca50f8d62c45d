// `reconcile`: compares the mirror with the service, names every row that differs, and repairs it when told to.
import { randomUUID } from 'node:crypto';
import { lookAfterSubscriptions, lookAtSubscriptions } from '#src/app/subscription-watch.ts';
import { openMirror } from '#src/app/mirror.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { holdBack } from '#workers/scheduling/lease.ts';
import { countLines, totalOf, type Drift } from '#workers/sync/reconcile/drift-report.ts';
import type { HeldBack } from '#workers/sync/reconcile/find-deleted.ts';
import { closeGap, gapRepair, openGap, type Gap } from '#workers/sync/reconcile/missed-window.ts';
import { reconcile as compare, type ReconcileReport, type Scope } from '#workers/sync/reconcile/reconcile.ts';
import { openSources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, type VerbContext } from '#src/cli/verb.ts';

export const reconcile = defineVerb({
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
  async run(context, options) {
    const signal = context.stopping();
    try {
      return await run(context, options);
    } catch (error) {
      if (!signal.aborted) throw error;
      context.say(
        `Stopped, with only a part compared${options.repair ? '; what was repaired stays' : ''}. Run it again to compare the whole.`,
      );
      return 3;
    }
  },
});

interface Options {
  readonly full: boolean;
  readonly repair: boolean;
  readonly allowDeletes: boolean;
  readonly json: boolean;
}

async function run(context: VerbContext, { full, repair, allowDeletes, json }: Options): Promise<0 | 3> {
  const config = context.config();
  const signal = context.stopping();
  await using store = await openMirror(config, context.log());
  const sources = await openSources(config, {}, { retryBudget: retryBudgets.long, signal });
  // Else a running process would repair the gap at the same time, and the report would not name what it repaired.
  const lease = { store, nowMs: () => context.now().getTime(), holder: randomUUID() };
  await using _held = repair ? await holdBack(lease, gapRepair) : undefined;
  // First: what was missed until they stood again is then part of what is compared.
  const cared = repair ? await careFor(context, { config, store }) : untouched;
  const gap = repair ? await openGap(store) : undefined;
  const tell = reportProgress(context, 'records compared');
  const read = new Map<string, number>();
  const report = await compare(
    {
      store,
      sources,
      screen: privacyScreen(config),
      now: context.now,
      signal,
      onDrift: (drift) => context.out(json ? JSON.stringify(drift) : lineOf(drift)),
      onProgress(resource, rows) {
        read.set(resource, rows);
        tell([...read.values()].reduce((sum, each) => sum + each, 0));
      },
    },
    { scope: scopeOf({ full, gap }), events: config.events, repair, allowDeletes },
  );
  // A complete comparison of everything, as `full` is, repairs a gap, too.
  if (gap !== undefined) await closeGap(store, gap);
  const subscriptions = await compared(context, { config, store, cared });
  if (json) context.out(JSON.stringify({ ...report, subscriptions }));
  else for (const line of summaryOf(report, subscriptions)) context.out(line);
  const isLeft = !repair && totalOf(report.drift) > 0;
  return isLeft || report.heldBack.length > 0 || subscriptions.pending > 0 ? 3 : 0;
}

function scopeOf({ full, gap }: { readonly full: boolean; readonly gap: Gap | undefined }): Scope {
  if (full) return { kind: 'full' };
  return gap === undefined ? { kind: 'recent' } : { kind: 'gap', since: gap.since };
}

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

const untouched: Subscriptions = { problem: null, pending: 0, recreated: 0 };

interface Looking {
  readonly config: Config;
  readonly store: Store;
}

/** What was lost is made again by a repair; anything else is bootstrap's to do, when somebody asks for it. */
function careFor({ now, stopping }: VerbContext, looking: Looking): Promise<Subscriptions> {
  return told(async () => {
    const { recreated } = await lookAfterSubscriptions({ ...looking, now, signal: stopping() });
    return { ...untouched, recreated: recreated.length };
  }, untouched);
}

async function compared(
  { now, stopping }: VerbContext,
  { cared, ...looking }: Looking & { readonly cared: Subscriptions },
): Promise<Subscriptions> {
  if (cared.problem !== null) return cared;
  return told(async () => {
    const { steps } = await lookAtSubscriptions({ ...looking, now, signal: stopping() });
    return { ...cared, pending: steps.filter(isPending).length };
  }, cared);
}

/** What is wrong with subscriptions does not keep the records from being compared. */
async function told(look: () => Promise<Subscriptions>, before: Subscriptions): Promise<Subscriptions> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    return { ...before, problem: error.message };
  }
}

function summaryOf(report: ReconcileReport, { problem, pending, recreated }: Subscriptions): readonly string[] {
  const { drift, read, kept, repaired, unreadable, heldBack, notCompared } = report;
  const total = totalOf(drift);
  const verdict = total === 0 ? 'nothing differs' : `${total} ${repaired ? 'differed and were repaired' : 'differ'}`;
  return [
    `${read} records compared, ${verdict}.`,
    ...countLines(drift).map((line) => `  ${line}`),
    ...(notCompared > 0
      ? [`! ${notCompared} rows were not compared: of another service, or of users who have not logged in.`]
      : []),
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
