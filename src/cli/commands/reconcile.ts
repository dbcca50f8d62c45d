// `reconcile`: compares the mirror with the service, reports what differs, and repairs it with `--repair`.
import { counted } from '#src/base/number-text.ts';
import { slotstream } from '#src/base/command.ts';
import { randomUUID } from 'node:crypto';
import { restoreSubscriptions, inspectFromConfig } from '#src/app/subscription-watch.ts';
import { openMirror } from '#src/app/mirror.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import type { Config } from '#src/config/load.ts';
import { requireSettings } from '#src/config/missing-settings.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { holdBack } from '#src/store/jobs/lease.ts';
import { isDrift, type Drift } from '#workers/sync/reconcile/drift-report.ts';
import { countLines, totalOf } from '#src/store/jobs/drift-counts.ts';
import type { HeldBack } from '#workers/sync/reconcile/find-deleted.ts';
import { isFilled } from '#src/store/jobs/filled.ts';
import { closeGap, gapRepair, openGap, type Gap } from '#src/store/jobs/missed-window.ts';
import {
  isAsCompleteAsAllowed,
  reconcile as compare,
  type ReconcileReport,
  type Scope,
} from '#workers/sync/reconcile/reconcile.ts';
import { openSources } from '#workers/sync/sources.ts';
import { redactDeletedContacts } from '#workers/sync/redact-deleted-contacts.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { printPauses } from '#src/cli/backfill-progress.ts';
import { reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, unlessStopped, type ValuesOf, type VerbContext } from '#src/cli/verb.ts';

const options = {
  recent: {
    flags: '--recent',
    help: 'only contacts that changed since the last run and meetings of these weeks; finds no deletes',
    reads: flag,
  },
  repair: { flags: '--repair', help: 'repair what differs; without it, nothing is written', reads: flag },
  allowDeletes: {
    flags: '--allow-deletes',
    help: 'delete rows even when many are missing from the service (more than 20, and more than a tenth)',
    reads: flag,
  },
  json: asJson,
} as const;

export const reconcile = defineVerb({
  examples: [
    'slotstream reconcile           # compare everything, missed deletes too; exit 3 when something differs',
    'slotstream reconcile --repair  # repair what differs',
    'slotstream reconcile --recent  # only recent changes, as the hourly schedule does; finds no deletes',
  ],
  arguments: {},
  options,
  run: (context, input) =>
    unlessStopped(context, (signal) => run(context, input, signal), {
      line: `Stopped before everything was compared${input.repair ? '; repairs so far are kept' : ''}. Run it again to compare the rest.`,
      exitCode: 3,
    }),
});

async function run(
  context: VerbContext,
  { recent, repair, allowDeletes, json }: ValuesOf<typeof options>,
  signal: AbortSignal,
): Promise<0 | 3> {
  const config = context.config();
  requireSettings(config, ['API_TOKEN']);
  await using store = await openMirror(config, context.log(), { uses: ['eraseOnDelete', 'events'] });
  const sources = await openSources(
    config,
    { onPause: printPauses(context).note },
    { retryBudget: retryBudgets.long, endsIfUnreachable: true, signal },
  );
  // Otherwise a running process could repair the gap at the same time, and the report would not list those repairs.
  const lease = { store, nowMs: () => context.now().getTime(), holder: randomUUID() };
  await using _held = repair ? await holdBack(lease, gapRepair) : undefined;
  // Subscriptions come first, so that the comparison covers what was missed until they were recreated.
  const recreated = repair ? await recreateSubscriptions(context, { config, store }) : noSubscriptions;
  const gap = repair ? await openGap(store) : undefined;
  const wasFilled = await isFilled(store);
  const showProgress = reportProgress(context, 'records compared');
  const read = new Map<string, number>();
  const columns = new Map<string, number>();
  let listed = 0;
  let oldFields = 0;
  const report = await compare(
    {
      store,
      sources,
      screen: privacyScreen(store.settings),
      now: context.now,
      signal,
      onDrift(drift) {
        if (json) return context.out(JSON.stringify(drift));
        if (drift.how === 'definitions') oldFields += 1;
        if (!isDrift(drift.how)) return;
        listed += 1;
        for (const field of drift.fields) columns.set(field, (columns.get(field) ?? 0) + 1);
        if (listed <= mostExamples) context.out(lineOf(drift));
      },
      onProgress(resource, rows) {
        read.set(resource, rows);
        showProgress([...read.values()].reduce((sum, each) => sum + each, 0));
      },
    },
    { scope: scopeOf({ recent, gap }), events: store.settings.events, repair, allowDeletes },
  );
  const redacted = repair ? await redactDeletedContacts({ store, screen: privacyScreen(store.settings) }) : 0;
  // Comparing everything repairs a gap too.
  if (gap !== undefined && isAsCompleteAsAllowed(report)) await closeGap(store, gap);
  const subscriptions = await compareSubscriptions(context, { config, store, recreated });
  if (json) context.out(JSON.stringify({ ...report, redacted, subscriptions }));
  else {
    if (listed > mostExamples) context.out(`… ${listed - mostExamples} more (--json lists all)`);
    for (const line of summaryOf(report, { columns, oldFields, subscriptions })) context.out(line);
    if (redacted > 0)
      context.out(`${counted(redacted, 'contact')} deleted while ERASE_ON_DELETE was off: removed from the log.`);
    if (!wasFilled && !repair)
      context.out(
        `! The first backfill has not completed: what it has not copied is missing. → ${slotstream} backfill`,
      );
  }
  const remains = !repair && totalOf(report.drift) > 0;
  const isPartial = report.unreadable.length + report.heldBack.length + report.quarantined > 0;
  return remains || isPartial || subscriptions.pending > 0 ? 3 : 0;
}

/** After an outage `--recent` compares everything since the outage began. */
function scopeOf({ recent, gap }: { readonly recent: boolean; readonly gap: Gap | undefined }): Scope {
  if (!recent) return { kind: 'full' };
  return gap === undefined ? { kind: 'recent' } : { kind: 'gap', since: gap.since };
}

/** Examples in the text; JSON has every row. */
const mostExamples = 20;

function lineOf({ how, kind, uri, fields }: Drift): string {
  return `${how} ${kind} ${uri}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`;
}

interface SubscriptionReport {
  /** Why they could not be compared; null when they were. */
  readonly problem: string | null;
  /** Still to be created, replaced or deleted. */
  readonly pending: number;
  readonly recreated: number;
}

const noSubscriptions: SubscriptionReport = { problem: null, pending: 0, recreated: 0 };

interface SubscriptionNeeds {
  readonly config: Config;
  readonly store: Store;
}

/** A repair recreates lost subscriptions; every other change needs `bootstrap`. */
function recreateSubscriptions({ now, stopping }: VerbContext, needs: SubscriptionNeeds): Promise<SubscriptionReport> {
  return withProblem(noSubscriptions, async () => {
    const { recreated } = await restoreSubscriptions({ ...needs, now, signal: stopping() });
    return { ...noSubscriptions, recreated: recreated.length };
  });
}

async function compareSubscriptions(
  { now, stopping }: VerbContext,
  { recreated, ...needs }: SubscriptionNeeds & { readonly recreated: SubscriptionReport },
): Promise<SubscriptionReport> {
  if (recreated.problem !== null) return recreated;
  return withProblem(recreated, async () => {
    const { steps } = await inspectFromConfig({ ...needs, now, signal: stopping() });
    return { ...recreated, pending: steps.filter(isPending).length };
  });
}

/** A problem with subscriptions is reported; it does not stop the comparison of records. */
async function withProblem(
  before: SubscriptionReport,
  work: () => Promise<SubscriptionReport>,
): Promise<SubscriptionReport> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    return { ...before, problem: error.message };
  }
}

interface DriftSummary {
  readonly columns: ReadonlyMap<string, number>;
  /** How many contacts differ only because custom fields were added, renamed or removed. */
  readonly oldFields: number;
  readonly subscriptions: SubscriptionReport;
}

function summaryOf(report: ReconcileReport, { columns, oldFields, subscriptions }: DriftSummary): readonly string[] {
  const { problem, pending, recreated } = subscriptions;
  const { drift, meetingDates, read, quarantined, repaired, unreadable, heldBack, notCompared } = report;
  const total = totalOf(drift);
  const difference = repaired
    ? `differed and ${total === 1 ? 'was' : 'were'} repaired`
    : `differ${total === 1 ? 's' : ''}`;
  const isSame = total + meetingDates + oldFields === 0;
  const verdict = total > 0 ? `${total} ${difference}` : isSame ? 'nothing differs' : 'no webhook was missed';
  return [
    `${read} records compared, ${verdict}.`,
    ...countLines(drift).map((line) => `  ${line}`),
    ...(columns.size > 0 ? [`  different by column: ${columnCounts(columns)}`] : []),
    ...(meetingDates > 0
      ? [`${contactsHave(meetingDates)} newer meeting dates, which is normal: the service sends no webhook for them.`]
      : []),
    ...(oldFields > 0
      ? [
          `${contactsHave(oldFields)} old custom fields${repaired ? ', and were read again' : '. --repair reads them again'}.`,
        ]
      : []),
    ...(notCompared > 0
      ? [
          `! ${counted(notCompared, 'row was', 'rows were')} not compared: other services, or users who have not logged in, have the records.`,
        ]
      : []),
    ...(quarantined > 0 ? [`! ${quarantined} could not be parsed: ${slotstream} replay --quarantined --dry-run`] : []),
    ...unreadable.map(({ what, error }) => `! ${what}: not compared. ${error.message} ${error.hint ?? ''}`.trimEnd()),
    ...heldBack.map(heldBackLine),
    ...(recreated > 0
      ? [`${recreated} lost ${recreated === 1 ? 'subscription was' : 'subscriptions were'} recreated.`]
      : []),
    ...(problem === null ? [] : [`! subscriptions: not compared. ${problem}`]),
    ...(pending > 0 ? [`✗ subscriptions: ${pending} pending.`, `→ ${slotstream} bootstrap --plan`] : []),
    ...(total > 0 && !repaired
      ? [`→ To repair: ${slotstream} reconcile ${report.scope === 'recent' ? '--recent ' : ''}--repair`]
      : []),
  ];
}

const contactsHave = (count: number): string => `${count} ${count === 1 ? 'contact has' : 'contacts have'}`;

function columnCounts(columns: ReadonlyMap<string, number>): string {
  const ordered = [...columns].toSorted(([, a], [, b]) => b - a);
  return ordered.map(([column, count]) => `${column} ${count}`).join(', ');
}

function heldBackLine({ kind, deleted, of }: HeldBack): string {
  return `✗ ${kind}: at least ${deleted} of ${of} are missing from the service, so many that none was deleted here.\n→ Check the service first. If it is right: ${slotstream} reconcile --repair --allow-deletes`;
}
